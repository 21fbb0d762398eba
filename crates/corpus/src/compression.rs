//! Compressed streams, in and out.
//!
//! All are streamed, so a file may unpack to any length in a fixed amount of
//! memory. Several members, frames or streams in one file follow each other,
//! as their own tools have it.

use std::io::{self, BufReader, Read, Write};

use bzip2::bufread::MultiBzDecoder;
use bzip2::write::BzEncoder;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};
use liblzma::write::XzEncoder;
use serde::{Deserialize, Serialize};

/// How a file is compressed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Not at all.
    None,
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
    /// `.bz2`
    Bzip2,
    /// `.xz`
    Xz,
}

/// 256 KiB: few calls to the system, and still in the second-level cache.
const INPUT_BYTES: usize = 256 << 10;

/// What an xz file may make us allocate. `xz -9` needs 65 MiB; the format allows 4 GiB.
const XZ_MEMORY_BYTES: u64 = 512 << 20;

impl Compression {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::None, Self::Gzip, Self::Zstd, Self::Bzip2, Self::Xz];

    /// What the end of a file's name says.
    pub fn from_name(name: &str) -> Self {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "gz" => Self::Gzip,
            "zst" => Self::Zstd,
            "bz2" => Self::Bzip2,
            "xz" => Self::Xz,
            _ => Self::None,
        }
    }

    /// What the first bytes of a file say.
    pub fn from_magic(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            _ => Self::None,
        }
    }

    /// The extension with its dot; nothing for none.
    pub fn extension(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
            Self::Bzip2 => ".bz2",
            Self::Xz => ".xz",
        }
    }

    /// What the stream unpacks to.
    pub(crate) fn reader(
        self,
        packed: impl Read + Send + 'static,
    ) -> io::Result<Box<dyn Read + Send>> {
        if self == Self::None {
            return Ok(Box::new(packed));
        }
        let packed = BufReader::with_capacity(INPUT_BYTES, packed);
        Ok(match self {
            Self::None => Box::new(packed),
            Self::Gzip => Box::new(MultiGzDecoder::new(packed)),
            // Its own default refuses windows of more than 128 MiB.
            Self::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(packed)?),
            Self::Bzip2 => Box::new(MultiBzDecoder::new(packed)),
            Self::Xz => {
                let stream = Stream::new_stream_decoder(XZ_MEMORY_BYTES, CONCATENATED)?;
                Box::new(XzDecoder::new_stream(packed, stream))
            }
        })
    }
}

/// Packs what is written, at the level that the format's own tool takes unless told otherwise.
pub(crate) enum Encoder<W: Write> {
    None(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::stream::write::Encoder<'static, W>),
    Bzip2(BzEncoder<W>),
    Xz(XzEncoder<W>),
}

impl<W: Write> Encoder<W> {
    pub(crate) fn new(compression: Compression, out: W) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Self::None(out),
            Compression::Gzip => Self::Gzip(GzEncoder::new(out, flate2::Compression::new(6))),
            Compression::Zstd => Self::Zstd(zstd::stream::write::Encoder::new(out, 3)?),
            Compression::Bzip2 => Self::Bzip2(BzEncoder::new(out, bzip2::Compression::best())),
            Compression::Xz => Self::Xz(XzEncoder::new(out, 6)),
        })
    }

    /// Writes what is left, and the end of the stream.
    pub(crate) fn finish(self) -> io::Result<W> {
        match self {
            Self::None(out) => Ok(out),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
            Self::Bzip2(encoder) => encoder.finish(),
            Self::Xz(encoder) => encoder.finish(),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::None(out) => out,
            Self::Gzip(encoder) => encoder,
            Self::Zstd(encoder) => encoder,
            Self::Bzip2(encoder) => encoder,
            Self::Xz(encoder) => encoder,
        }
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}
