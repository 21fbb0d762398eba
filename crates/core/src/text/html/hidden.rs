//! Elements that are not shown, and where they end.
//!
//! The content of a hidden element is passed over up to its end. For every name
//! the open elements are counted, outside and inside the hidden one, so that
//! memory is the same for any nesting. The hidden element ends
//!
//! 1. at its own end tag, one for each of its name that was opened inside it;
//! 2. at a start tag by which the parser of a browser closes it: the next `li`
//!    closes a `li`, a paragraph is closed by every block, and so on;
//! 3. at the end tag of an element that it stands in, unless the parser ignores
//!    that tag there. Formatting elements go on behind it, as in browsers.
//!
//! Elements of names that are not in our list count as one name. What was left
//! unclosed outside still counts as open, so that in malformed pages a hidden
//! element may end early; it never goes on for longer than in a browser because
//! of that.

use super::elements::Element;

/// The open elements of each name.
type Counts = [u32; Element::COUNT];

/// Which elements are open.
pub(super) struct Hidden {
    outside: Counts,
    /// The hidden element, if the page is within one.
    root: Option<Element>,
    inside: Counts,
}

impl Default for Hidden {
    fn default() -> Self {
        Self { outside: [0; Element::COUNT], root: None, inside: [0; Element::COUNT] }
    }
}

fn count(open: &mut u32) {
    *open = open.saturating_add(1);
}

impl Hidden {
    /// Whether what comes is not shown.
    pub(super) fn is_open(&self) -> bool {
        self.root.is_some()
    }

    /// Takes the start tag of an element that has content; `hides` if the content is not shown.
    pub(super) fn open(&mut self, element: Element, hides: bool) {
        match self.root {
            Some(_) => count(&mut self.inside[element as usize]),
            None if hides => self.root = Some(element),
            None => {
                if element.closes_p() {
                    self.outside[Element::P as usize] = 0;
                }
                count(&mut self.outside[element as usize]);
            }
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
        let outside = &mut self.outside[element as usize];
        let Some(root) = self.root else {
            *outside = outside.saturating_sub(1);
            return true;
        };
        let is_open_outside = *outside > 0;
        if self.inside[element as usize] > 0 {
            self.inside[element as usize] -= 1;
        } else if element == root {
            self.close();
        } else if is_open_outside && self.is_closed_by_end(root, element) {
            self.outside[element as usize] -= 1;
            self.close();
            return true;
        }
        false
    }

    fn close(&mut self) {
        self.root = None;
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

    fn is_closed_by_start(&self, root: Element, element: Element) -> bool {
        use Element::{A, Button, Dd, Dir, Dl, Dt, Li, Menu, Nobr, Ol, Optgroup, Option, P, Rb};
        use Element::{Rp, Rt, Rtc, Table, Td, Th, Tr, Ul};
        match root {
            P => element.closes_p() && !self.has(&[Button]) && !self.has_barrier(),
            Li => element == Li && !self.has(&[Ul, Ol, Menu, Dir]) && !self.has_barrier(),
            Dd | Dt => matches!(element, Dd | Dt) && !self.has(&[Dl]) && !self.has_barrier(),
            Option => matches!(element, Option | Optgroup),
            Optgroup => element == Optgroup,
            A | Button | Nobr => element == root && !self.has_barrier(),
            Rb | Rp | Rt | Rtc => matches!(element, Rb | Rp | Rt | Rtc),
            Td | Th => element.is_table_part() && !self.has(&[Table]),
            Tr => element.is_table_part() && !matches!(element, Td | Th) && !self.has(&[Table]),
            _ if root.is_table_part() => {
                element.is_table_part()
                    && !matches!(element, Td | Th | Tr | Element::Col)
                    && !self.has(&[Table])
            }
            _ => false,
        }
    }

    fn is_closed_by_end(&self, root: Element, element: Element) -> bool {
        let of_table = element.is_table_part() || element == Element::Table;
        if root.is_table_part() && of_table {
            return !self.has(&[Element::Table]);
        }
        // The parser keeps what is open at these two.
        if matches!(element, Element::Body | Element::Html) {
            return false;
        }
        !root.is_formatting()
            && !root.is_barrier()
            && !self.has_barrier()
            && (element.is_special() || !root.is_special())
    }
}
