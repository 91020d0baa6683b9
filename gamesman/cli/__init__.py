"""The command line reads what is typed, has it done, shows the answer and ends with an exit code.

main         the group of commands, and the one place that ends a run
arguments    the arguments and options that several commands take
commands     a module for each command
display      answers in words and tables
views        what analysis has found, as text, as pictures and as a page
session      a game in the terminal
blame        finds out whose mistake an unexpected exception is
streams      keeps standard output for answers, whatever state the standard streams are in
"""
