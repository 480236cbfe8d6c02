//! Going through the members of an object.

use alloc::string::String;
use alloc::vec;
use core::iter::FusedIterator;
use core::slice;

use super::object::Member;
use super::{Object, Value};

/// The members of an [`Object`], in order.
#[derive(Debug, Clone)]
pub struct Iter<'a>(pub(super) slice::Iter<'a, Member>);

/// The members of an [`Object`], in order, their values to change.
#[derive(Debug)]
pub struct IterMut<'a>(pub(super) slice::IterMut<'a, Member>);

/// The members of an [`Object`] that was given up, in order.
#[derive(Debug)]
pub struct IntoIter(pub(super) vec::IntoIter<Member>);

macro_rules! members {
    ($name:ident $(<$life:lifetime>)?, $item:ty, $member:pat => $given:expr) => {
        impl $(<$life>)? Iterator for $name $(<$life>)? {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                self.0.next().map(|$member| $given)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl $(<$life>)? DoubleEndedIterator for $name $(<$life>)? {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back().map(|$member| $given)
            }
        }

        impl $(<$life>)? ExactSizeIterator for $name $(<$life>)? {}

        impl $(<$life>)? FusedIterator for $name $(<$life>)? {}
    };
}

members!(Iter<'a>, (&'a str, &'a Value), (key, value) => (key.as_str(), value));
members!(IterMut<'a>, (&'a str, &'a mut Value), (key, value) => (key.as_str(), value));
members!(IntoIter, (String, Value), (key, value) => (key.into(), value));

impl<'a> IntoIterator for &'a Object {
    type Item = (&'a str, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Object {
    type Item = (&'a str, &'a mut Value);
    type IntoIter = IterMut<'a>;

    fn into_iter(self) -> IterMut<'a> {
        self.iter_mut()
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter(self.into_members().into_iter())
    }
}
