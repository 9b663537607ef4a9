"""Every action of the program, named once: bindings, keymap, footer, help and palette come from here."""
