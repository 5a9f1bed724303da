"""What our templates pass, looked for in the help of the programs as they are installed."""
