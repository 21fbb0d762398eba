//! Methods of builders, and calls of them that depend on what was given.

/// Calls of setters for those who have options of their own: flags, arguments of another language.
#[doc(hidden)]
pub trait Given: Sized {
    /// Sets what was given, and leaves it as it is otherwise.
    #[must_use]
    fn given<T>(self, value: Option<T>, set: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            Some(value) => set(self, value),
            None => self,
        }
    }

    /// Sets what was asked for.
    #[must_use]
    fn when(self, asked: bool, set: impl FnOnce(Self) -> Self) -> Self {
        if asked { set(self) } else { self }
    }
}

impl<Builder> Given for Builder {}

/// Methods of a builder that set one thing each: the field of that name, or, after an arrow, any
/// other place of it; without a type, to what stands there.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    () => {};
    ($(#[$doc:meta])* $name:ident => $($field:ident).+ = $value:expr; $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self) -> Self {
            self.$($field).+ = $value;
            self
        }
        $crate::setters! { $($rest)* }
    };
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
