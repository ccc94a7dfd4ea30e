//! What stands on a terminal in the end, of all that was written to it.

/// The lines of a terminal that is as wide as it must be.
pub(crate) struct Screen {
    lines: Vec<Vec<char>>,
    row: usize,
    column: usize,
}

impl Screen {
    /// What is left to see.
    pub(crate) fn of(text: &str) -> Vec<String> {
        let mut screen = Self { lines: vec![Vec::new()], row: 0, column: 0 };
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\n' => screen.down(1),
                '\r' => screen.column = 0,
                '\u{1b}' => {
                    let rest = letters.as_str().strip_prefix('[').unwrap();
                    let end = rest.find(|it: char| it.is_ascii_alphabetic()).unwrap();
                    let (number, behind) = rest.split_at(end);
                    let mut behind = behind.chars();
                    screen.obey(behind.next().unwrap(), number);
                    letters = behind;
                }
                letter => screen.put(letter),
            }
        }
        let line = |letters: Vec<char>| letters.into_iter().collect::<String>();
        screen.lines.into_iter().map(line).map(|line| line.trim_end().to_owned()).collect()
    }

    fn down(&mut self, rows: usize) {
        self.row += rows;
        while self.lines.len() <= self.row {
            self.lines.push(Vec::new());
        }
    }

    fn put(&mut self, letter: char) {
        let line = &mut self.lines[self.row];
        while line.len() <= self.column {
            line.push(' ');
        }
        line[self.column] = letter;
        self.column += 1;
    }

    /// Does what a terminal is told to.
    fn obey(&mut self, command: char, number: &str) {
        let count = number.parse().unwrap_or(1);
        match (command, number) {
            ('A', _) => self.row = self.row.checked_sub(count).unwrap(),
            ('B', _) => self.down(count),
            ('K', "2") => self.lines[self.row].clear(),
            ('K', "" | "0") => self.lines[self.row].truncate(self.column),
            // Colours, and whether the cursor is seen.
            ('m' | 'h' | 'l', _) => {}
            _ => panic!("nobody expects a terminal to be told {number}{command}"),
        }
    }
}
