//! Compressed streams, in and out.
//!
//! All are streamed, so a file may unpack to any length in a fixed amount of
//! memory. Several members, frames or streams in one file follow each other,
//! as their own tools have it.

use std::io::{self, BufRead, BufReader, Cursor, Read, Write};

use bzip2::bufread::MultiBzDecoder;
use bzip2::write::BzEncoder;
use flate2::bufread::{GzDecoder, MultiGzDecoder};
use flate2::write::GzEncoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};
use liblzma::write::XzEncoder;
use serde::{Deserialize, Serialize};

use crate::position::{MemberStart, Position};

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
            // Or a frame for others, which its tool skips.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
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

/// The beginning of a frame that zstd's own tool skips, and that web archives have their
/// dictionary in.
const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// The longest dictionary. Those of crawlers have some 100 KiB.
const MAX_DICTIONARY_BYTES: u64 = 64 << 20;

/// Whether this is the beginning of a web archive that is packed with a dictionary of its own.
pub(crate) fn begins_with_dictionary(head: &[u8]) -> bool {
    head.starts_with(&DICTIONARY_MAGIC)
}

impl Compression {
    /// As [`reader`](Self::reader), for web archives: those of zstd may begin with the dictionary
    /// that all records are packed with, in a frame that is skipped otherwise.
    ///
    /// Tells where members of gzip begin, if the position wants them.
    pub(crate) fn warc_reader(
        self,
        packed: impl Read + Send + 'static,
        position: &Position,
    ) -> io::Result<Box<dyn Read + Send>> {
        if self == Self::Gzip && position.wants_members() {
            return Ok(Box::new(GzipMembers::new(packed, position.clone())));
        }
        if self != Self::Zstd {
            return self.reader(packed);
        }
        let mut packed = BufReader::with_capacity(INPUT_BYTES, packed);
        let mut head = Vec::new();
        packed.by_ref().take(8).read_to_end(&mut head)?;
        let size = head.strip_prefix(&DICTIONARY_MAGIC).and_then(<[u8]>::first_chunk);
        let Some(size) = size else { return self.reader(Cursor::new(head).chain(packed)) };
        let dictionary = dictionary(&mut packed, u32::from_le_bytes(*size).into())?;
        let decoder = zstd::stream::read::Decoder::with_dictionary(packed, &dictionary)?;
        Ok(Box::new(decoder))
    }
}

/// The members of a gzip file, one after another, as [`MultiGzDecoder`] reads them; tells where each
/// begins. To begin one takes some microseconds more than there.
struct GzipMembers<R: Read> {
    /// None when there are no more.
    member: Option<GzDecoder<ConsumedBytes<R>>>,
    unpacked: u64,
    position: Position,
}

impl<R: Read> GzipMembers<R> {
    fn new(packed: R, position: Position) -> Self {
        let packed = BufReader::with_capacity(INPUT_BYTES, packed);
        let packed = ConsumedBytes { packed, consumed: 0 };
        position.begin_member(MemberStart { unpacked: 0, stored: 0 });
        Self { member: Some(GzDecoder::new(packed)), unpacked: 0, position }
    }
}

impl<R: Read> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(buffer)?;
            self.unpacked += read as u64;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let Some(mut packed) = self.member.take().map(GzDecoder::into_inner) else { break };
            if !packed.fill_buf()?.is_empty() {
                let stored = packed.consumed;
                self.position.begin_member(MemberStart { unpacked: self.unpacked, stored });
                self.member = Some(GzDecoder::new(packed));
            }
        }
        Ok(0)
    }
}

/// A stream that counts what was taken of it, not what was read ahead.
struct ConsumedBytes<R> {
    packed: BufReader<R>,
    consumed: u64,
}

impl<R: Read> Read for ConsumedBytes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.packed.read(buffer)?;
        self.consumed += read as u64;
        Ok(read)
    }
}

impl<R: Read> BufRead for ConsumedBytes<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.packed.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.consumed += bytes as u64;
        self.packed.consume(bytes);
    }
}

/// The dictionary in a frame of so many bytes, which may be packed itself.
fn dictionary(packed: impl Read, size: u64) -> io::Result<Vec<u8>> {
    let fault = |said| io::Error::new(io::ErrorKind::InvalidData, said);
    if size > MAX_DICTIONARY_BYTES {
        return Err(fault("the dictionary is too long"));
    }
    let mut frame = Vec::new();
    packed.take(size).read_to_end(&mut frame)?;
    if frame.len() as u64 != size {
        return Err(fault("the dictionary is cut off"));
    }
    if Compression::from_magic(&frame) != Compression::Zstd {
        return Ok(frame);
    }
    let mut dictionary = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(&*frame)?;
    decoder.take(MAX_DICTIONARY_BYTES + 1).read_to_end(&mut dictionary)?;
    if dictionary.len() as u64 > MAX_DICTIONARY_BYTES {
        return Err(fault("the dictionary is too long"));
    }
    Ok(dictionary)
}

/// The tool's own default is 3. On natural text 2 gives files 7 % larger in three quarters of the
/// time, and packing is half of what a job costs that keeps most of its documents.
const ZSTD_LEVEL: i32 = 2;

/// Packs on threads of its own, at least one; the bytes are the same for any number of them.
fn zstd_encoder<W: Write>(
    out: W,
    workers: u32,
) -> io::Result<zstd::stream::write::Encoder<'static, W>> {
    let mut encoder = zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?;
    encoder.multithread(workers)?;
    Ok(encoder)
}

/// Packs what is written, at the level that the format's own tool takes unless told otherwise,
/// but for zstd.
///
/// The library gets it in blocks of one size: what zlib-rs makes of some bytes depends on how
/// they are divided, and no output may depend on the size of chunks.
pub(crate) struct Encoder<W: Write> {
    packer: Packer<W>,
    block: Vec<u8>,
}

const BLOCK_BYTES: usize = 64 << 10;

enum Packer<W: Write> {
    None(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::stream::write::Encoder<'static, W>),
    Bzip2(BzEncoder<W>),
    Xz(XzEncoder<W>),
}

impl<W: Write> Encoder<W> {
    /// `threads` are those of a format that can use several.
    pub(crate) fn new(compression: Compression, threads: usize, out: W) -> io::Result<Self> {
        let packer = match compression {
            Compression::None => Packer::None(out),
            Compression::Gzip => Packer::Gzip(GzEncoder::new(out, flate2::Compression::new(6))),
            Compression::Zstd => Packer::Zstd(zstd_encoder(out, threads.max(1) as u32)?),
            Compression::Bzip2 => Packer::Bzip2(BzEncoder::new(out, bzip2::Compression::best())),
            Compression::Xz => Packer::Xz(XzEncoder::new(out, 6)),
        };
        Ok(Self { packer, block: Vec::with_capacity(BLOCK_BYTES) })
    }

    /// A short stream, which is not worth a thread of its own.
    fn of_member(compression: Compression, out: W) -> io::Result<Self> {
        if compression != Compression::Zstd {
            return Self::new(compression, 1, out);
        }
        let mut encoder = zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?;
        encoder.include_checksum(true)?;
        Ok(Self { packer: Packer::Zstd(encoder), block: Vec::with_capacity(BLOCK_BYTES) })
    }

    /// Writes what is left, and the end of the stream.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.pack_block()?;
        match self.packer {
            Packer::None(out) => Ok(out),
            Packer::Gzip(encoder) => encoder.finish(),
            Packer::Zstd(encoder) => encoder.finish(),
            Packer::Bzip2(encoder) => encoder.finish(),
            Packer::Xz(encoder) => encoder.finish(),
        }
    }

    fn packer(&mut self) -> &mut dyn Write {
        match &mut self.packer {
            Packer::None(out) => out,
            Packer::Gzip(encoder) => encoder,
            Packer::Zstd(encoder) => encoder,
            Packer::Bzip2(encoder) => encoder,
            Packer::Xz(encoder) => encoder,
        }
    }

    fn pack_block(&mut self) -> io::Result<()> {
        let mut block = std::mem::take(&mut self.block);
        self.packer().write_all(&block)?;
        block.clear();
        self.block = block;
        Ok(())
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.block.len() == BLOCK_BYTES {
            self.pack_block()?;
        }
        let taken = bytes.len().min(BLOCK_BYTES - self.block.len());
        self.block.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pack_block()?;
        self.packer().flush()
    }
}

/// Packs records each by itself where readers can then go straight to one: as members of gzip
/// and frames of zstd. Other formats are packed as one stream.
pub(crate) struct MemberEncoder<W: Write> {
    compression: Compression,
    state: Members<W>,
    is_empty: bool,
}

enum Members<W: Write> {
    Between(W),
    Within(Box<Encoder<W>>),
    /// After an error.
    Lost,
}

impl<W: Write> MemberEncoder<W> {
    pub(crate) fn new(compression: Compression, out: W) -> Self {
        Self { compression, state: Members::Between(out), is_empty: true }
    }

    /// The member that is being written.
    fn member(&mut self) -> io::Result<&mut Encoder<W>> {
        if let Members::Between(_) = self.state
            && let Members::Between(out) = std::mem::replace(&mut self.state, Members::Lost)
        {
            let member = Encoder::of_member(self.compression, out)?;
            self.state = Members::Within(Box::new(member));
            self.is_empty = false;
        }
        match &mut self.state {
            Members::Within(member) => Ok(member),
            Members::Between(_) | Members::Lost => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Ends a record.
    pub(crate) fn end_record(&mut self) -> io::Result<()> {
        let is_apart = matches!(self.compression, Compression::Gzip | Compression::Zstd);
        if is_apart { self.end_member() } else { Ok(()) }
    }

    fn end_member(&mut self) -> io::Result<()> {
        self.state = match std::mem::replace(&mut self.state, Members::Lost) {
            Members::Within(member) => Members::Between(member.finish()?),
            other => other,
        };
        Ok(())
    }

    /// Writes what is left. Of no records there is an empty stream, which can be read.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        if self.is_empty {
            self.member()?;
        }
        self.end_member()?;
        match self.state {
            Members::Between(out) => Ok(out),
            Members::Within(_) | Members::Lost => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl<W: Write> Write for MemberEncoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.member()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.member()?.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words without end, so that there is something to pack and something left.
    fn text(bytes: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut text = Vec::with_capacity(bytes + 24);
        while text.len() < bytes {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.extend_from_slice(format!("word{} ", state >> 50).as_bytes());
        }
        text
    }

    #[test]
    fn packed_bytes_do_not_depend_on_the_number_of_workers() {
        // More than two of the 8 MiB that a worker takes at a time.
        let text = text(20 << 20);
        let pack = |workers, step| {
            let mut out = zstd_encoder(Vec::new(), workers).unwrap();
            text.chunks(step).for_each(|part| out.write_all(part).unwrap());
            out.finish().unwrap()
        };
        let one = pack(1, 1 << 20);
        assert!(one.len() < text.len() / 2);
        assert_eq!(zstd::stream::decode_all(&one[..]).unwrap(), text);
        assert!(pack(2, 1 << 20) == one && pack(3, 99_999) == one);
    }

    #[test]
    fn packed_bytes_do_not_depend_on_the_size_of_writes() {
        let text = text(1 << 20);
        for compression in Compression::ALL {
            let pack = |step| {
                let mut out = Encoder::new(compression, 1, Vec::new()).unwrap();
                text.chunks(step).for_each(|part| out.write_all(part).unwrap());
                out.finish().unwrap()
            };
            let whole = pack(text.len());
            assert!(pack(1000) == whole && pack(70_001) == whole, "{compression:?}");
        }
    }
}
