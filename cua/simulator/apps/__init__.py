"""The programs of the virtual computer, by the name under their icon.

What can be read on the screen, exactly so (OCR reads it; /state gives the place of each):

desktop    icons Notepad, Network, Files, Browser, Terminal, welcome.txt; Start; a clock
           right click: Refresh, New text file, Open Terminal, Network settings
           on a program: Open; on a file: Open, Rename, Delete
Start      Type to search, Notepad, Network, Files, Browser, Terminal, Shut down, Restart
Notepad    File (New, Open..., Save, Save As..., Exit), Edit (Undo, Cut, Copy, Paste, Select all)
           "Save as": File name:, Save, Cancel; "Open": File name:, Open, Cancel
           "Save changes?": Save, Don't save, Cancel; "Replace file?": Replace, Cancel
Network    Ethernet, Wi-Fi; Status: ..., IPv4 address: ..., Gateway: ..., DNS server: ..., Edit DNS
           Obtain DNS server address automatically, Use the following DNS server addresses,
           Preferred DNS, Alternate DNS, Save, Cancel; "Invalid DNS address": OK
Files      Home, Desktop, Documents, Downloads, Pictures, Reports, New folder
           "Delete file?": Delete, Cancel; "Rename": New name:, Rename, Cancel
           "New folder": Folder name:, Create, Cancel
Browser    Search the web, Favourites, Espressif products, Daily News, Weather, ESP32 Datasheet,
           Download PDF, esp32_datasheet.pdf downloaded, Show in folder
Terminal   user@pc:~$
Update     "Software update": Software update available, Later, Install
power      "Shut down?": Shut down, Cancel; "Restart?": Restart, Cancel
           It is now safe to turn off your computer.
boot       Press DEL to enter SETUP; BIOS SETUP UTILITY: Boot Device, Boot Mode, Secure Boot,
           Virtualization, USB Legacy Support, Fast Boot, After Power Loss, Save & Exit Setup,
           Exit Without Saving; Save configuration and exit?, Exit without saving?: Yes, No
"""
