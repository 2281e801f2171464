"""What papers say of the intervals whose figures the shipped configs make anew."""
