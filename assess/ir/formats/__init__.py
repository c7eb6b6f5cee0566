"""The labs' files. A reader takes an open binary file and its name, and gives typed rows."""
