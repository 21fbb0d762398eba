//! Elements that are not shown, and where they end.
//!
//! The content of a hidden element is passed over up to its end. For every name
//! the open elements are counted, outside and inside the hidden one, so that
//! memory is the same for any nesting. The hidden element ends
//!
//! 1. at its own end tag, one for each of its name that was opened inside it;
//! 2. at a start tag by which the parser of a browser closes it or an element
//!    that it stands in: the next `li` closes a `li`, a block closes a paragraph;
//! 3. at the end tag of an element that it stands in;
//! 4. with the SVG or MathML that it stands in.
//!
//! 1 to 3 do not reach out of a table, a cell or a `template` that is open, nor
//! does 3 where the parser of a browser ignores the tag; and a formatting element
//! that is left open goes on behind the element that it stands in, as it does
//! in browsers.
//!
//! Elements of names that are not in our list count as one name. This is the
//! standard's parser without its stack: on 8,377 real pages the tokens are those
//! of a whole parser, html5ever; of random sequences of tags, where hardly any
//! is closed, one in a hundred has other tokens. In `select` it is one in sixteen,
//! and in tables, whose stray text a browser moves to another place, one in ten.

use super::elements::Element;

/// The open elements of each name.
type Counts = [u32; Element::COUNT];

/// Which elements are open.
pub(super) struct OpenElements {
    outside: Counts,
    /// The hidden element, if the page is within one.
    root: Option<Element>,
    /// How many SVG, MathML and HTML within them are open at least while it is.
    depth: usize,
    inside: Counts,
}

impl Default for OpenElements {
    fn default() -> Self {
        Self { outside: [0; Element::COUNT], root: None, depth: 0, inside: [0; Element::COUNT] }
    }
}

fn count(open: &mut u32) {
    *open = open.saturating_add(1);
}

/// One less is open. With the last table its cells and rows end, which often have no end tag.
fn end(open: &mut Counts, element: Element) {
    use Element::{Caption, Colgroup, Table, Tbody, Td, Tfoot, Th, Thead, Tr};
    let count = &mut open[element as usize];
    *count = count.saturating_sub(1);
    if element == Table && *count == 0 {
        for part in [Caption, Colgroup, Tbody, Td, Tfoot, Th, Thead, Tr] {
            open[part as usize] = 0;
        }
    }
}

impl OpenElements {
    /// Whether what comes is not shown.
    pub(super) fn is_open(&self) -> bool {
        self.root.is_some()
    }

    /// Takes the start tag of an element that has content; `hides` if the content is not shown.
    /// `depth` is that of foreign elements with this one.
    pub(super) fn open(&mut self, element: Element, hides: bool, depth: usize) {
        use Element::{P, Table};
        // Ignored by the parser.
        if element.is_table_part()
            && self.outside[Table as usize] + self.inside[Table as usize] == 0
        {
            return;
        }
        if self.root.is_some() {
            count(&mut self.inside[element as usize]);
            return;
        }
        if element.closes_p() {
            self.outside[P as usize] = 0;
        }
        if hides {
            self.root = Some(element);
            self.depth = depth;
        } else {
            count(&mut self.outside[element as usize]);
        }
    }

    /// Ends the hidden element if the foreign one that it stands in has ended.
    pub(super) fn at_depth(&mut self, depth: usize) {
        if depth < self.depth {
            self.close();
        }
    }

    /// Ends the hidden element if this start tag does.
    pub(super) fn before_start(&mut self, element: Element) {
        if self.root.is_some_and(|root| self.is_closed_by_start(root, element)) {
            self.close();
        }
    }

    /// Takes an end tag. Whether it belongs to what is shown, and not to the hidden element or to
    /// something in it.
    pub(super) fn end(&mut self, element: Element) -> bool {
        let Some(root) = self.root else {
            end(&mut self.outside, element);
            return true;
        };
        if self.inside[element as usize] > 0 {
            end(&mut self.inside, element);
        } else if element == root || (element.is_heading() && root.is_heading()) {
            if !self.has_barrier() {
                self.close();
            }
        } else if self.is_in(element) && self.is_closed_by_end(root, element) {
            self.close();
            end(&mut self.outside, element);
            return true;
        }
        false
    }

    fn close(&mut self) {
        self.root = None;
        self.depth = 0;
        self.inside.fill(0);
    }

    fn has(&self, elements: &[Element]) -> bool {
        elements.iter().any(|&element| self.inside[element as usize] > 0)
    }

    /// Whether something inside keeps tags from having an effect on the hidden element.
    fn has_barrier(&self) -> bool {
        use Element::{Applet, Caption, Marquee, Object, Table, Td, Template, Th};
        self.has(&[Applet, Caption, Marquee, Object, Table, Td, Template, Th])
    }

    /// Whether an element that `root` stands in is open.
    fn is_in(&self, element: Element) -> bool {
        self.outside[element as usize] > 0
    }

    fn is_closed_by_start(&self, root: Element, element: Element) -> bool {
        use Element::{A, Address, Button, Dd, Dir, Div, Dl, Dt, Li, Menu, Nobr, Ol, Optgroup};
        use Element::{Option, P, Rb, Rp, Rt, Rtc, Ruby, Select, Table, Td, Th, Tr, Ul};
        if element.is_table_part() && root.is_table_part() {
            let outer = match root {
                Td | Th => true,
                Tr => !matches!(element, Td | Th),
                _ => !matches!(element, Td | Th | Tr | Element::Col),
            };
            return outer && !self.has(&[Table]);
        }
        if self.has_barrier() {
            return false;
        }
        // What these start tags look for is not looked for behind most blocks.
        let is_passed = !root.is_special() || matches!(root, Address | Div | P);
        let item = |items: &[Element], lists: &[Element]| {
            let is_within = items.iter().any(|&item| self.is_in(item));
            (items.contains(&root) || (is_passed && is_within)) && !self.has(lists)
        };
        let closes = match element {
            Li => item(&[Li], &[Ul, Ol, Menu, Dir]),
            Dd | Dt => item(&[Dd, Dt], &[Dl]),
            Option => root == Option,
            Optgroup => matches!(root, Option | Optgroup),
            A | Button | Nobr | Select => root == element,
            Rb | Rp | Rt | Rtc => self.is_in(Ruby) && matches!(root, Rb | Rp | Rt | Rtc),
            _ if element.is_heading() && root.is_heading() => {
                self.inside.iter().all(|&open| open == 0)
            }
            _ => false,
        };
        let is_in_p = root == P || (self.is_in(P) && !root.is_barrier() && root != Button);
        closes && !(root.is_formatting() && root != element)
            || element.closes_p() && is_in_p && !root.is_formatting() && !self.has(&[Button])
    }

    fn is_closed_by_end(&self, root: Element, element: Element) -> bool {
        use Element::{Body, Button, Html, P, Table};
        if root.is_table_part() && (element.is_table_part() || element == Table) {
            return !self.has(&[Table]);
        }
        let is_ignored = match element {
            // The parser keeps what is open at these two.
            Body | Html => true,
            P => root == Button || self.has(&[Button]),
            _ => !element.is_special() && root.is_special(),
        };
        !is_ignored && !root.is_formatting() && !root.is_barrier() && !self.has_barrier()
    }
}
