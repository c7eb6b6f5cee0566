"""The pages. A view finds what the person may see, checks the form, calls one service, answers."""
