"""Decodes the files that standard input names, one JSON string a line, with Pillow, for bench/lib/decoders.mjs.

    pillow.py CMYK-PROFILE

Each answer is a line of JSON, {"width", "height", "mode", "icc", "assumed"} or {"error"}, and after the former
width * height * 4 bytes of RGBA: first page or frame, upright, converted to sRGB by Little CMS. "assumed" is the path of
the profile that stands for what the file says of its colours without a profile of its own: PNG gAMA and cHRM, EXIF's
Adobe RGB, and CMYK, which is given the profile of the command line.
"""

import atexit, hashlib, io, json, os, shutil, struct, sys, tempfile, warnings

from PIL import Image, ImageCms, ImageFile, ImageOps, PngImagePlugin

warnings.simplefilter("ignore")
Image.MAX_IMAGE_PIXELS = None
ImageFile.LOAD_TRUNCATED_IMAGES = True
PngImagePlugin.MAX_TEXT_CHUNK = 1 << 26  # profiles too
PRESS = sys.argv[1]  # a CMYK profile
ADOBE = "/usr/share/color/icc/colord/AdobeRGB1998.icc"
SRGB = ImageCms.createProfile("sRGB")
FOLDER = tempfile.mkdtemp(prefix="corpus-profiles-")
atexit.register(shutil.rmtree, FOLDER, True)
BPC = 0x2000
SRGB_PRIMARIES = (0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06)
BRADFORD = ((0.8951, 0.2664, -0.1614), (-0.7502, 1.7135, 0.0367), (0.0389, -0.0685, 1.0296))


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(len(b[0]))] for i in range(3)]


def inverse(m):
    (a, b, c), (d, e, f), (g, h, i) = m
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return [
        [(e * i - f * h) / det, (c * h - b * i) / det, (b * f - c * e) / det],
        [(f * g - d * i) / det, (a * i - c * g) / det, (c * d - a * f) / det],
        [(d * h - e * g) / det, (b * g - a * h) / det, (a * e - b * d) / det],
    ]


def profile_of(gamma, chromaticity):
    """An ICC profile (version 2) of these primaries and 1 / gAMA as exponent, adapted to D50 by Bradford's matrix."""
    xyz = [(x / y, 1, (1 - x - y) / y) for x, y in zip(chromaticity[::2], chromaticity[1::2])]
    white, columns = [[v] for v in xyz[0]], [list(row) for row in zip(*xyz[1:])]
    scale = product(inverse(columns), white)
    matrix = [[columns[i][j] * scale[j][0] for j in range(3)] for i in range(3)]
    seen, wanted = product(BRADFORD, white), product(BRADFORD, [[0.9642], [1], [0.8249]])
    gain = [[wanted[i][0] / seen[i][0] if i == j else 0 for j in range(3)] for i in range(3)]
    matrix = product(product(inverse(BRADFORD), product(gain, BRADFORD)), matrix)
    point = lambda v: b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(x * 65536) for x in v))
    curve = b"curv\0\0\0\0" + struct.pack(">IHH", 1, round(256 / gamma), 0)
    text = b"desc\0\0\0\0" + struct.pack(">I", 2) + b"g\0" + b"\0" * 79
    tags = [(b"desc", text), (b"cprt", b"text\0\0\0\0g\0\0\0"), (b"wtpt", point((0.9642, 1, 0.8249)))]
    tags += [(b"rgb"[i : i + 1] + b"XYZ", point([row[i] for row in matrix])) for i in range(3)]
    tags += [(b"rgb"[i : i + 1] + b"TRC", curve) for i in range(3)]
    table, data, at = struct.pack(">I", len(tags)), b"", 132 + 12 * len(tags)
    for name, body in tags:
        body += b"\0" * (-len(body) % 4)
        table += name + struct.pack(">II", at + len(data), len(body))
        data += body
    head = struct.pack(">I4sI4s4s4s12s", at + len(data), b"", 0x02100000, b"mntr", b"RGB ", b"XYZ ", b"")
    head += struct.pack(">4s28s3i48s", b"acsp", b"", 63190, 65536, 54061, b"")
    return head + table + data


def assumed(image):
    """The profile, as bytes, of what the file says about its colours outside ICC; None where that is sRGB or nothing."""
    info = image.info
    if image.mode == "CMYK":
        return open(PRESS, "rb").read()
    if image.format == "PNG" and "gamma" in info and "srgb" not in info:
        primaries = tuple(info.get("chromaticity", SRGB_PRIMARIES))
        same = max(abs(a - b) for a, b in zip(primaries, SRGB_PRIMARIES)) < 0.002
        if info["gamma"] <= 0 or (same and abs(info["gamma"] - 0.45455) < 0.0001):
            return None
        return profile_of(info["gamma"], primaries)
    try:
        part = image.getexif().get_ifd(0x8769)
        interop = image.getexif().get_ifd(0xA005).get(1, "") if part.get(0xA001) == 65535 else ""
    except Exception:
        return None
    if part.get(0xA001) == 2 or interop == "R03":
        return open(ADOBE, "rb").read()


def own_profile(image):
    """The embedded profile, where it is for samples of this kind; None otherwise."""
    profile = image.info.get("icc_profile") or (image.format == "JPEG2000" and box_profile(image.filename)) or b""
    spaces = {"L": b"GRAY", "LA": b"GRAY", "1": b"GRAY", "I": b"GRAY", "I;16": b"GRAY", "CMYK": b"CMYK", "LAB": b"Lab "}
    return profile if profile[16:20] == spaces.get(image.mode, b"RGB ") else None


def box_profile(path):
    """The profile of a JP2 file's first colour box of method 2 or 3 (T.801 M.11.7.3), which this Pillow passes over."""
    with open(path, "rb") as file:
        head = file.read(1 << 24)
    at = head.find(b"colr")
    length = int.from_bytes(head[max(0, at - 4) : at], "big")
    return head[at + 7 : at - 4 + length] if at > 0 and head[at + 4] in (2, 3) else None


def eight_bits(image, format):
    """The same with 8-bit samples; 16-bit gray, which convert() would clip, is divided first."""
    if image.mode in ("I", "I;16", "I;16B", "I;16L"):
        if image.mode == "I" and (format != "PNG" or "transparency" in image.info):
            raise ValueError("32-bit integers")
        return image.convert("I").point(lambda value: value * (1 / 257)).convert("L")
    if image.mode == "F":
        raise ValueError("floating point")
    if image.mode in ("L", "RGB") and "transparency" in image.info:
        return image.convert("RGBA")
    plain = {"1": "L", "P": "RGBA", "PA": "RGBA", "La": "LA", "RGBa": "RGBA", "RGBX": "RGB", "YCbCr": "RGB"}
    return image.convert(plain[image.mode]) if image.mode in plain else image


def managed(image, profile):
    """The picture as RGBA in sRGB; a profile that does not fit its samples is passed over."""
    alpha = image.getchannel("A") if image.mode in ("LA", "RGBA") else None
    plain = image.convert("L" if image.mode == "LA" else "RGB") if alpha else image
    if profile and profile[16:20] == b"RGB ":
        plain = plain.convert("RGB")
    source = ImageCms.createProfile("LAB") if image.mode == "LAB" else profile and io.BytesIO(profile)
    if source:
        try:
            source = ImageCms.ImageCmsProfile(source)
            plain = ImageCms.profileToProfile(plain, source, SRGB, 1, "RGB", flags=BPC)  # 1: relative colorimetric
        except (ImageCms.PyCMSError, OSError):
            pass
    result = plain.convert("RGBA")
    if alpha:
        result.putalpha(alpha)
    return result


def decoded(path):
    image = Image.open(path)
    image.load()
    own, format = own_profile(image), image.format
    stands_for = None if own else assumed(image)
    facts = {"mode": image.mode, "icc": bool(own), "assumed": None}
    if stands_for:
        facts["assumed"] = os.path.join(FOLDER, hashlib.sha1(stands_for).hexdigest() + ".icc")
        open(facts["assumed"], "wb").write(stands_for)
    try:
        image = ImageOps.exif_transpose(image)
    except Exception:
        pass  # EXIF that cannot be read or written again
    upright = managed(eight_bits(image, format), own or stands_for)
    return {**facts, "width": upright.width, "height": upright.height}, upright.tobytes()


for line in sys.stdin:
    try:
        head, pixels = decoded(json.loads(line))
    except BaseException as error:
        head, pixels = {"error": f"{type(error).__name__}: {error}"[:200]}, b""
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + pixels)
    sys.stdout.buffer.flush()
