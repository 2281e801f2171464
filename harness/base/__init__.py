"""What every other part uses: errors, text, plain data, checks of arguments, arithmetic."""
