"""Bytes are compressed with Zstandard of the standard library where it has that, else of a package.

Measured on Konane 5x6 in blocks of 16,384: zlib's level 1 takes 3 times the CPU to write, 3 times to read and 7 % more
space. The package costs a start of the program 1 ms. On the classes of Quixo 4x4 level 9 takes 7 times the CPU of level
3, 0.03 s for a million, and saves 11 % of the space.
"""

from collections.abc import Callable

LEVEL, HIGH_LEVEL = 3, 9

try:
    from compression import zstd

    def compressor(level: int = LEVEL) -> Callable[[bytes], bytes]:
        """Return a function that compresses; each thread needs its own."""
        return lambda data: zstd.compress(data, level)

    def decompressor() -> Callable[[bytes, int], bytes]:
        """Return a function that decompresses to `most` bytes at most, else raises Error; each thread needs its own."""

        def decompress(data: bytes, most: int) -> bytes:
            frame = zstd.ZstdDecompressor()
            found: bytes = frame.decompress(data, most + 1)
            if not frame.eof or frame.unused_data or len(found) > most:
                raise Error(f"expected {most} bytes at most")
            return found

        return decompress

    Error: type[Exception] = zstd.ZstdError
except ImportError:
    import zstandard

    def compressor(level: int = LEVEL) -> Callable[[bytes], bytes]:
        """Return a function that compresses; each thread needs its own."""
        return zstandard.ZstdCompressor(level=level).compress

    def decompressor() -> Callable[[bytes, int], bytes]:
        """Return a function that decompresses to `most` bytes at most, else raises Error; each thread needs its own."""
        whole = zstandard.ZstdDecompressor().decompress

        def decompress(data: bytes, most: int) -> bytes:
            # The package allocates as many bytes as the data claims to hold before it finds out whether that is so.
            if not 0 <= zstandard.frame_content_size(data) <= most:
                raise Error(f"expected {most} bytes at most")
            return whole(data)

        return decompress

    Error = zstandard.ZstdError
