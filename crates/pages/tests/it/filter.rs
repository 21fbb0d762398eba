//! Pictures of ordinary and of extreme filters.

use std::io::Cursor;

use lookalike_core::filter::Filter;
use lookalike_pages::{Error, FilterPlot, Scale};

fn plot(filter: &Filter, scale: Scale) -> FilterPlot<'_> {
    FilterPlot { title: "AltaVista".into(), filter, threshold: Some(0.95), scale, measured: &[] }
}

/// Tags that open and close in pairs, attributes in quotes, no stray `<` or `&`.
pub(crate) fn assert_well_formed(svg: &str) {
    let mut open = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        assert!(!text.contains('>'), "stray > in {text}");
        for (at, _) in text.match_indices('&') {
            assert!(
                ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"]
                    .iter()
                    .any(|entity| text[at..].starts_with(entity))
            );
        }
        let end = rest[start..].find('>').expect("a tag ends") + start;
        let tag = &rest[start + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.trim()), "{tag}");
        } else if !tag.ends_with('/') && !tag.starts_with(['?', '!']) {
            open.push(tag.split_whitespace().next().expect("a tag has a name"));
        }
        rest = &rest[end + 1..];
    }
    assert_eq!(open, Vec::<&str>::new());
}

#[test]
fn svg_is_well_formed_and_labelled() {
    let filter = Filter::new(6, 14, 2).unwrap();
    for (scale, width, panels) in
        [(Scale::Linear, 640, 1), (Scale::Logarithmic, 640, 1), (Scale::Both, 1280, 2)]
    {
        let svg = plot(&filter, scale).svg().unwrap();
        assert_well_formed(&svg);
        assert!(svg.contains(&format!("width=\"{width}\" height=\"484\"")));
        assert!(svg.contains("AltaVista"));
        for label in [
            "resemblance",
            "probability of becoming a candidate",
            "half at 0.909",
            "threshold 0.95: P = ",
        ] {
            assert_eq!(svg.matches(label).count(), panels, "{label}");
        }
        assert!(svg.contains("k = 6, s = 14, r = 2: 84 permutations, 48 bytes a document"));
        let mut appended = "before".to_string();
        plot(&filter, scale).write_svg(&mut appended).unwrap();
        assert_eq!(appended, format!("before{svg}"));
    }
}

#[test]
fn png_decodes_with_its_size_and_its_colours() {
    let filter = Filter::new(6, 14, 2).unwrap();
    for (scale, width) in [(Scale::Linear, 1280), (Scale::Both, 2560)] {
        let png = plot(&filter, scale).png().unwrap();
        let mut image = png::Decoder::new(Cursor::new(png)).read_info().unwrap();
        assert_eq!(image.info().size(), (width, 968));
        assert_eq!(image.info().color_type, png::ColorType::Rgb);
        let mut pixels = vec![0; image.output_buffer_size().unwrap()];
        image.next_frame(&mut pixels).unwrap();
        let count = |color: [u8; 3]| pixels.chunks(3).filter(|pixel| *pixel == color).count();
        assert!(count([0xff, 0xff, 0xff]) > 1_000_000, "paper");
        assert!(count([0x1f, 0x5f, 0x99]) > 1000, "curve");
        assert!(count([0xc8, 0x5a, 0x11]) > 300, "threshold");
        assert!(count([0x22, 0x26, 0x2b]) > 100, "words");
    }
}

#[test]
fn measured_points_are_drawn_and_impossible_ones_left_out() {
    let filter = Filter::new(6, 14, 2).unwrap();
    let dots = |measured: &[(f64, f64)]| {
        let plot = FilterPlot { measured, ..plot(&filter, Scale::Logarithmic) };
        plot.png().unwrap();
        let svg = plot.svg().unwrap();
        assert_well_formed(&svg);
        svg.matches("<circle").count()
    };
    let none = dots(&[]);
    // One more for the legend; a hollow dot has two circles.
    assert_eq!(dots(&[(0.8, 0.02), (0.9, 0.4)]), none + 3);
    assert_eq!(dots(&[(0.8, 0.02), (0.3, 0.0)]), none + 4);
    assert_eq!(dots(&[(f64::NAN, 0.5), (0.5, f64::NAN), (1.5, 0.5), (0.5, -1.0)]), none + 1);
}

#[test]
fn extremes_do_not_panic() {
    for (k, s, r) in [(1, 1, 1), (450, 20, 1), (4096, 16, 4096), (4096, 16, 1), (1, 65_536, 1)] {
        let filter = Filter::new(k, s, r).unwrap();
        for threshold in [None, Some(0.0), Some(1.0)] {
            let plot = FilterPlot { threshold, ..plot(&filter, Scale::Both) };
            assert_well_formed(&plot.svg().unwrap());
        }
        plot(&filter, Scale::Both).png().unwrap();
    }
}

#[test]
fn titles_are_escaped_and_cut() {
    let filter = Filter::new(6, 14, 2).unwrap();
    for title in
        ["", "a < b & \"c\" > 'd'", "line\nline\u{0}\u{7}", &"long ".repeat(1000), "\u{540d}"]
    {
        let plot = FilterPlot { title: title.into(), ..plot(&filter, Scale::Linear) };
        let svg = plot.svg().unwrap();
        assert_well_formed(&svg);
        assert!(!svg.contains('\u{0}') && !svg.contains('\u{7}'));
        assert!(svg.len() < 200_000);
        plot.png().unwrap();
    }
}

#[test]
fn thresholds_out_of_range_are_refused() {
    let filter = Filter::new(6, 14, 2).unwrap();
    for bad in [-0.1, 1.1, f64::INFINITY] {
        let plot = FilterPlot { threshold: Some(bad), ..plot(&filter, Scale::Linear) };
        let mut out = "as before".to_string();
        assert_eq!(plot.write_svg(&mut out), Err(Error::Threshold(bad)));
        assert_eq!(out, "as before");
        assert_eq!(plot.png(), Err(Error::Threshold(bad)));
    }
    let plot = FilterPlot { threshold: Some(f64::NAN), ..plot(&filter, Scale::Linear) };
    assert_eq!(plot.svg().unwrap_err().to_string(), "threshold NaN is not from 0 to 1");
}
