"""The screens and commands: what is known is shown, what a person does is asked of `services`."""
