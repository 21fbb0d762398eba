//! How documents are read: the flags of all commands that take inputs.

use clap::Args;
use lookalike_core::Given as _;
use lookalike_corpus::{Format, Inputs, ReadOptions, Result, Sources};
use lookalike_engine::Running;

#[derive(Args)]
pub(crate) struct Documents {
    /// What the inputs are: text, html, jsonl, csv, tsv, parquet, arrow or warc [default: by name, then content]
    #[arg(long, value_name = "FORMAT", value_parser = format, help_heading = "Documents")]
    pub(crate) format: Option<Format>,
    /// The field with the text; dots reach nested ones, brackets lists: messages[].content
    #[arg(long, value_name = "FIELD", default_value = "text", help_heading = "Documents")]
    text_field: String,
    /// The field with the web page, for records without text
    #[arg(long, value_name = "FIELD", default_value = "html", help_heading = "Documents")]
    html_field: String,
    /// The field with the set of items, where documents are sets and not texts: a list of strings or numbers; dots
    /// and brackets reach further: tracks[].id
    #[arg(long, value_name = "FIELD", help_heading = "Documents")]
    pub(crate) set_field: Option<String>,
    /// The field with the id; without one, it is `path#record`
    #[arg(long, value_name = "FIELD", default_value = "id", help_heading = "Documents")]
    id_field: String,
    /// The field with the URL, also used to tell which pictures are a page's own
    #[arg(long, value_name = "FIELD", default_value = "url", help_heading = "Documents")]
    url_field: String,
}

impl Documents {
    /// How records are read.
    pub(crate) fn options(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        options.fields.text.clone_from(&self.text_field);
        options.fields.html.clone_from(&self.html_field);
        options.fields.set.clone_from(&self.set_field);
        options.fields.id.clone_from(&self.id_field);
        options.fields.url.clone_from(&self.url_field);
        options
    }

    /// The options that were given, as they would be typed.
    pub(super) fn typed(&self) -> Vec<(&'static str, String)> {
        let fields = [
            ("--text-field", &self.text_field, "text"),
            ("--html-field", &self.html_field, "html"),
            ("--id-field", &self.id_field, "id"),
            ("--url-field", &self.url_field, "url"),
        ];
        let fields = fields.into_iter().filter(|(_, field, default)| field != default);
        let fields = fields.map(|(name, field, _)| (name, field.clone()));
        let format = self.format.map(|format| ("--format", format.name().to_owned()));
        let set = self.set_field.clone().map(|field| ("--set-field", field));
        format.into_iter().chain(fields).chain(set).collect()
    }

    /// The recipe of those who name none.
    pub(crate) fn recipe(&self) -> &'static str {
        if self.set_field.is_some() { "sets" } else { "text" }
    }

    /// How a job runs that reads them.
    pub(crate) fn running(&self, running: Running) -> Running {
        running.read_options(self.options()).given(self.format, Running::format)
    }

    /// The documents of these inputs.
    pub(crate) fn of(&self, inputs: &[String]) -> Result<Inputs> {
        Ok(Inputs::of(Sources::new(inputs, self.format)?, self.options()))
    }
}

fn format(name: &str) -> Result<Format, &'static str> {
    Format::named(name).ok_or("must be text, html, jsonl, csv, tsv, parquet, arrow or warc")
}
