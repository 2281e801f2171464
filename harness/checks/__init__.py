"""Is an interval method sound, and has it become worse?"""
