# Typesets pages of the King James Bible, in the public domain, as Debian's bible-kjv prints it, and writes
# down where the ink of each word is.
#
#   python3 typeset.py FOLDER PAGES
#
# FOLDER/0001.png and so on, 1000 x 1400 pixels at 200 dots per inch, and FOLDER/printed.json: for each page,
# the words in order with the box of their pixels that are darker than half.

import json
import re
import subprocess
import sys

from PIL import Image, ImageDraw, ImageFont

folder, pages = sys.argv[1], int(sys.argv[2])
width, height, margin, leading = 1000, 1400, 90, 48
fonts = [
    ImageFont.truetype(f"/usr/share/fonts/truetype/dejavu/{name}.ttf", 30)
    for name in ("DejaVuSerif", "DejaVuSans", "DejaVuSerif-Bold")
]

verses = subprocess.run(["bible", "-f", "gen1:1-2kings25:30"], capture_output=True, text=True, check=True).stdout
words = re.sub(r"(?m)^\S+ ", "", verses).split()
taken = 0


def ink(font, word):
    """The box of the dark pixels of a word that is drawn at 40, 40."""
    picture = Image.new("L", (width, 120), 255)
    ImageDraw.Draw(picture).text((40, 40), word, font=font, fill=0)
    left, top, right, bottom = picture.point(lambda value: 255 if value < 128 else 0).getbbox()
    return left - 40, top - 40, right - left, bottom - top


printed = []
for page in range(1, pages + 1):
    font = fonts[page % len(fonts)]
    picture = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(picture)
    space = draw.textlength(" ", font=font)
    x, y, lines = margin, margin, [[]]
    while True:
        word = words[taken % len(words)]
        advance = draw.textlength(word, font=font)
        if x + advance > width - margin:
            x, y = margin, y + leading
            if y + leading > height - margin:
                break
            lines.append([])
        left, top, wide, high = ink(font, word)
        draw.text((round(x), y), word, font=font, fill=0)
        lines[-1].append({"text": word, "box": [round(x) + left, y + top, wide, high]})
        x += advance + space
        taken += 1
    picture.save(f"{folder}/{page:04}.png", dpi=(200, 200))
    printed.append(lines)
with open(f"{folder}/printed.json", "w", encoding="utf-8") as file:
    json.dump({"width": width, "height": height, "pages": printed}, file)
