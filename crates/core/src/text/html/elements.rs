//! The elements of HTML that are treated in a way of their own.

/// What is known of an element: bits.
type Traits = u16;

/// Leaves no trace: what stands on both sides of its tags is one word on the screen.
const INLINE: Traits = 1;
/// Has no content and no end tag.
const VOID: Traits = 1 << 1;
/// Begins and ends a line of its own.
const LINE: Traits = 1 << 2;
/// `special` in the standard's parser: the end tag of an element that is not special does not
/// close it.
const SPECIAL: Traits = 1 << 3;
/// Its start tag closes an open `p`.
const CLOSES_P: Traits = 1 << 4;
/// Tags within it close nothing outside, except for those of tables.
const BARRIER: Traits = 1 << 5;
/// Unclosed, it goes on behind the end of the element that it stands in.
const FORMATTING: Traits = 1 << 6;
/// A part of a table.
const TABLE: Traits = 1 << 7;
/// A browser does not show what it holds.
const UNSEEN: Traits = 1 << 8;
/// As `UNSEEN`, within SVG and MathML only.
const UNSEEN_FOREIGN: Traits = 1 << 9;
/// Its tag ends SVG and MathML.
const BREAKS_OUT: Traits = 1 << 10;
/// Its content is text up to its end tag, whatever stands in there.
const RAW: Traits = 1 << 11;

const BLOCK: Traits = LINE | SPECIAL | CLOSES_P;
const STYLED: Traits = INLINE | FORMATTING | BREAKS_OUT;

macro_rules! elements {
    ($($name:literal $element:ident $traits:expr;)*) => {
        /// An element by its name; one that is not in the list is `Other`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Element {
            Other,
            $($element,)*
        }

        impl Element {
            /// How many there are.
            pub(super) const COUNT: usize = [Self::Other, $(Self::$element),*].len();

            /// The element of a name in lower case.
            pub(super) fn of(name: &[u8]) -> Self {
                match name {
                    $($name => Self::$element,)*
                    _ => Self::Other,
                }
            }
        }

        static TRAITS: [Traits; Element::COUNT] = [0, $($traits),*];
    };
}

elements! {
    b"a" A INLINE | FORMATTING;
    b"abbr" Abbr INLINE;
    b"acronym" Acronym INLINE;
    b"address" Address BLOCK;
    b"annotation" Annotation UNSEEN_FOREIGN;
    b"annotation-xml" AnnotationXml UNSEEN_FOREIGN;
    b"applet" Applet SPECIAL | BARRIER;
    b"area" Area INLINE | VOID;
    b"article" Article BLOCK;
    b"aside" Aside BLOCK;
    b"audio" Audio UNSEEN;
    b"b" B STYLED;
    b"base" Base INLINE | VOID;
    b"basefont" Basefont INLINE | VOID;
    b"bdi" Bdi INLINE;
    b"bdo" Bdo INLINE;
    b"bgsound" Bgsound INLINE | VOID;
    b"big" Big STYLED;
    b"blink" Blink INLINE;
    b"blockquote" Blockquote BLOCK | BREAKS_OUT;
    b"body" Body LINE | SPECIAL | BREAKS_OUT;
    b"br" Br VOID | LINE | BREAKS_OUT;
    b"button" Button SPECIAL;
    b"canvas" Canvas UNSEEN;
    b"caption" Caption LINE | SPECIAL | BARRIER | TABLE;
    b"center" Center BLOCK | BREAKS_OUT;
    b"cite" Cite INLINE;
    b"code" Code STYLED;
    b"col" Col INLINE | VOID | TABLE;
    b"colgroup" Colgroup SPECIAL | TABLE;
    b"data" Data INLINE;
    b"datalist" Datalist UNSEEN;
    b"dd" Dd BLOCK | BREAKS_OUT;
    b"defs" Defs UNSEEN_FOREIGN;
    b"del" Del INLINE;
    b"desc" Desc UNSEEN_FOREIGN;
    b"details" Details BLOCK;
    b"dfn" Dfn INLINE;
    b"dialog" Dialog LINE | CLOSES_P;
    b"dir" Dir BLOCK;
    b"div" Div BLOCK | BREAKS_OUT;
    b"dl" Dl BLOCK | BREAKS_OUT;
    b"dt" Dt BLOCK | BREAKS_OUT;
    b"em" Em STYLED;
    b"embed" Embed VOID | BREAKS_OUT;
    b"fieldset" Fieldset BLOCK;
    b"figcaption" Figcaption BLOCK;
    b"figure" Figure BLOCK;
    b"font" Font INLINE | FORMATTING;
    b"footer" Footer BLOCK;
    b"foreignobject" ForeignObject 0;
    b"form" Form BLOCK;
    b"frame" Frame VOID;
    b"frameset" Frameset SPECIAL;
    b"h1" H1 BLOCK | BREAKS_OUT;
    b"h2" H2 BLOCK | BREAKS_OUT;
    b"h3" H3 BLOCK | BREAKS_OUT;
    b"h4" H4 BLOCK | BREAKS_OUT;
    b"h5" H5 BLOCK | BREAKS_OUT;
    b"h6" H6 BLOCK | BREAKS_OUT;
    b"head" Head LINE | SPECIAL | BREAKS_OUT;
    b"header" Header BLOCK;
    b"hgroup" Hgroup BLOCK;
    b"hr" Hr VOID | LINE | CLOSES_P | BREAKS_OUT;
    b"html" Html LINE | SPECIAL;
    b"i" I STYLED;
    b"iframe" Iframe RAW | UNSEEN;
    b"image" Image 0;
    b"img" Img VOID | BREAKS_OUT;
    b"input" Input VOID;
    b"ins" Ins INLINE;
    b"kbd" Kbd INLINE;
    b"keygen" Keygen VOID;
    b"label" Label INLINE;
    b"legend" Legend LINE;
    b"li" Li BLOCK | BREAKS_OUT;
    b"link" Link INLINE | VOID;
    b"listing" Listing BLOCK | BREAKS_OUT;
    b"main" Main BLOCK;
    b"map" Map INLINE;
    b"mark" Mark INLINE;
    b"marquee" Marquee SPECIAL | BARRIER;
    b"math" Math 0;
    b"menu" Menu BLOCK | BREAKS_OUT;
    b"meta" Meta INLINE | VOID | BREAKS_OUT;
    b"metadata" Metadata UNSEEN_FOREIGN;
    b"meter" Meter UNSEEN;
    b"nav" Nav BLOCK;
    b"nobr" Nobr STYLED;
    b"noembed" Noembed RAW | UNSEEN;
    b"noframes" Noframes RAW | UNSEEN;
    b"noscript" Noscript RAW | UNSEEN;
    b"object" Object SPECIAL | BARRIER;
    b"ol" Ol BLOCK | BREAKS_OUT;
    b"optgroup" Optgroup LINE;
    b"option" Option LINE;
    b"output" Output INLINE;
    b"p" P BLOCK | BREAKS_OUT;
    b"param" Param INLINE | VOID;
    b"picture" Picture INLINE;
    b"plaintext" Plaintext BLOCK | RAW;
    b"pre" Pre BLOCK | BREAKS_OUT;
    b"progress" Progress UNSEEN;
    b"rb" Rb 0;
    b"rp" Rp UNSEEN;
    b"rt" Rt 0;
    b"rtc" Rtc 0;
    b"ruby" Ruby INLINE | BREAKS_OUT;
    b"s" S STYLED;
    b"samp" Samp INLINE;
    b"script" Script RAW | UNSEEN | UNSEEN_FOREIGN;
    b"search" Search BLOCK;
    b"section" Section BLOCK;
    b"select" Select SPECIAL;
    b"small" Small STYLED;
    b"source" Source INLINE | VOID;
    b"span" Span INLINE | BREAKS_OUT;
    b"strike" Strike STYLED;
    b"strong" Strong STYLED;
    b"style" Style RAW | UNSEEN | UNSEEN_FOREIGN;
    b"sub" Sub INLINE | BREAKS_OUT;
    b"summary" Summary BLOCK;
    b"sup" Sup INLINE | BREAKS_OUT;
    b"svg" Svg 0;
    b"symbol" Symbol UNSEEN_FOREIGN;
    b"table" Table BLOCK | BARRIER | BREAKS_OUT;
    b"tbody" Tbody LINE | SPECIAL | TABLE;
    b"td" Td SPECIAL | BARRIER | TABLE;
    b"template" Template SPECIAL | BARRIER | UNSEEN;
    b"textarea" Textarea RAW;
    b"tfoot" Tfoot LINE | SPECIAL | TABLE;
    b"th" Th SPECIAL | BARRIER | TABLE;
    b"thead" Thead LINE | SPECIAL | TABLE;
    b"time" Time INLINE;
    b"title" Title RAW | LINE | UNSEEN_FOREIGN;
    b"tr" Tr LINE | SPECIAL | TABLE;
    b"track" Track INLINE | VOID;
    b"tspan" Tspan INLINE;
    b"tt" Tt STYLED;
    b"u" U STYLED;
    b"ul" Ul BLOCK | BREAKS_OUT;
    b"var" Var INLINE | BREAKS_OUT;
    b"video" Video UNSEEN;
    b"wbr" Wbr INLINE | VOID;
    b"xmp" Xmp BLOCK | RAW;
}

impl Element {
    fn is(self, traits: Traits) -> bool {
        TRAITS[self as usize] & traits != 0
    }

    pub(super) fn is_inline(self) -> bool {
        self.is(INLINE)
    }

    pub(super) fn is_line(self) -> bool {
        self.is(LINE)
    }

    pub(super) fn is_void(self) -> bool {
        self.is(VOID)
    }

    pub(super) fn is_special(self) -> bool {
        self.is(SPECIAL)
    }

    pub(super) fn is_barrier(self) -> bool {
        self.is(BARRIER)
    }

    pub(super) fn is_formatting(self) -> bool {
        self.is(FORMATTING)
    }

    pub(super) fn is_table_part(self) -> bool {
        self.is(TABLE)
    }

    pub(super) fn is_heading(self) -> bool {
        matches!(self, Self::H1 | Self::H2 | Self::H3 | Self::H4 | Self::H5 | Self::H6)
    }

    pub(super) fn is_unseen(self) -> bool {
        self.is(UNSEEN)
    }

    pub(super) fn is_unseen_in_foreign(self) -> bool {
        self.is(UNSEEN_FOREIGN)
    }

    pub(super) fn is_raw(self) -> bool {
        self.is(RAW)
    }

    pub(super) fn closes_p(self) -> bool {
        self.is(CLOSES_P)
    }

    pub(super) fn breaks_out(self) -> bool {
        self.is(BREAKS_OUT)
    }
}
