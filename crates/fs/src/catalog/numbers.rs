//! Numbers in as few bytes as they need: seven bits a byte, the lowest first, a set eighth bit says
//! that there are more.

/// Bytes that numbers are read from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers<'a>(pub(crate) &'a [u8]);

impl Numbers<'_> {
    /// One byte.
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// So many bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    /// A number; most have one byte.
    #[inline]
    pub(crate) fn number(&mut self) -> Option<u64> {
        match self.0.split_first() {
            Some((first, rest)) if *first < 0x80 => {
                self.0 = rest;
                Some(u64::from(*first))
            }
            _ => self.long_number(),
        }
    }

    fn long_number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number of bytes.
    pub(crate) fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    /// A difference: its sign is the lowest bit.
    pub(crate) fn difference(&mut self) -> Option<i64> {
        let number = self.number()?;
        let magnitude = (number >> 1).cast_signed();
        Some(if number & 1 == 0 { magnitude } else { !magnitude })
    }
}

/// Writes a number.
pub(crate) fn put(to: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            to.push(low & 0x7f);
            return;
        }
        to.push(low | 0x80);
    }
}

/// Writes a number of bytes.
pub(crate) fn put_length(to: &mut Vec<u8>, length: usize) {
    put(to, u64::try_from(length).unwrap_or(u64::MAX));
}

/// Writes by how much a number is greater than another, all of them on a circle.
pub(crate) fn put_difference(to: &mut Vec<u8>, number: u64, than: u64) {
    let difference = number.wrapping_sub(than).cast_signed();
    put(to, ((difference << 1) ^ (difference >> 63)).cast_unsigned());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_what_is_none_is_refused() {
        let numbers = [0, 1, 127, 128, 1 << 14, (1 << 53) - 1, u64::MAX >> 1, u64::MAX];
        for number in numbers {
            for than in numbers {
                let mut bytes = Vec::new();
                put(&mut bytes, number);
                put_difference(&mut bytes, number, than);
                let mut read = Numbers(&bytes);
                assert_eq!(read.number(), Some(number));
                let difference = read.difference().unwrap();
                assert_eq!(than.wrapping_add_signed(difference), number, "than {than}");
                assert!(read.0.is_empty());
                for cut in 0..bytes.len() {
                    let mut read = Numbers(&bytes[..cut]);
                    assert!(read.number().and_then(|_| read.number()).is_none());
                }
            }
        }
        // More than 64 bits.
        assert_eq!(Numbers(&[0xff; 12]).number(), None);
        let mut most = [0xff; 10];
        most[9] = 2;
        assert_eq!(Numbers(&most).number(), None);
    }
}
