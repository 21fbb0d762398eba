//! Methods of builders.

/// Methods of a builder that set one thing each: the field of that name, or, after an arrow, any
/// other place of it.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    () => {};
    ($(#[$doc:meta])* $name:ident: $type:ty; $($rest:tt)*) => {
        $crate::setters! { $(#[$doc])* $name: $type => $name = $name; $($rest)* }
    };
    ($(#[$doc:meta])* $name:ident: $type:ty => $($field:ident).+ = $value:expr; $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: $type) -> Self {
            self.$($field).+ = $value;
            self
        }
        $crate::setters! { $($rest)* }
    };
}
