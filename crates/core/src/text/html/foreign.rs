//! SVG and MathML inside a page, where other rules hold.
//!
//! There `<path/>` is closed, `<style>` is an element like any other, and CDATA
//! is text. `foreignObject`, `desc` and `title` of SVG hold HTML again. A byte
//! for each of these that is open is all that is kept.

use super::elements::Element;

/// The roots (`svg`, `math`) and the HTML within them that are open, in order.
#[derive(Default)]
pub(super) struct Foreign(Vec<Element>);

fn is_root(element: Element) -> bool {
    matches!(element, Element::Svg | Element::Math)
}

impl Foreign {
    /// Whether the rules of HTML do not hold here.
    pub(super) fn is_inside(&self) -> bool {
        self.0.last().is_some_and(|&element| is_root(element))
    }

    /// How many roots, and elements in them that hold HTML, are open.
    pub(super) fn depth(&self) -> usize {
        self.0.len()
    }

    /// Back to HTML, up to the element that holds it, if an element ends the roots.
    pub(super) fn leave_for(&mut self, element: Element) {
        while element.breaks_out() && self.is_inside() {
            self.0.pop();
        }
    }

    /// Takes the start tag of an element that is not closed at once.
    pub(super) fn start(&mut self, element: Element) {
        let holds_html = matches!(element, Element::ForeignObject | Element::Desc | Element::Title);
        if is_root(element) || (holds_html && self.0.last() == Some(&Element::Svg)) {
            self.0.push(element);
        }
    }

    /// Takes an end tag.
    pub(super) fn end(&mut self, element: Element) {
        if element.is_special() {
            while self.is_inside() {
                self.0.pop();
            }
        }
        // One that was left open may stand between; more is not looked for, or a million of
        // stray end tags would search a million of open elements.
        let above = self.0.iter().rev().take(2).position(|&open| open == element);
        if let Some(above) = above {
            self.0.truncate(self.0.len() - above - 1);
        }
    }

    /// Forgets everything, and what a page of a million roots took.
    pub(super) fn clear(&mut self) {
        self.0.clear();
        self.0.shrink_to(1 << 10);
    }
}
