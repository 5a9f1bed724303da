//! For each of many items a row of others, all in one piece of memory.

/// For each item a row of others, by their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemRows {
    /// Where each row begins; one more at the end.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl ItemRows {
    /// No rows yet, with room for so many and for what stands in them.
    pub fn with_room(count: usize, items: usize) -> Self {
        let mut starts = Vec::with_capacity(count + 1);
        starts.push(0);
        Self {
            starts,
            items: Vec::with_capacity(items),
        }
    }

    /// These rows.
    pub fn of(rows: impl Iterator<Item = impl Iterator<Item = u32>>) -> Self {
        let mut all = Self::with_room(rows.size_hint().0, 0);
        for row in rows {
            all.items.extend(row);
            all.end_row();
        }
        all
    }

    /// Adds an item to the row that is being made.
    pub fn add(&mut self, item: u32) {
        self.items.push(item);
    }

    /// Ends the row that is being made.
    pub fn end_row(&mut self) {
        self.starts.push(narrow(self.items.len()));
    }

    /// Returns the number of items in all rows.
    pub fn item_count(&self) -> usize {
        self.items.len()
    }

    /// The edges `from → to` by their `from`; rows ascend, and an edge named twice stands there once.
    pub(crate) fn by_start(count: usize, edges: &[(u32, u32)]) -> Self {
        let lengths = edges.iter().map(|(from, _)| *from);
        let mut rows = Self::with_lengths(count, lengths);
        if edges.is_sorted_by(|one, next| one < next) {
            rows.items = edges.iter().map(|(_, to)| *to).collect();
            return rows;
        }
        rows.items = vec![0; edges.len()];
        let mut next = rows.starts.clone();
        for (from, to) in edges {
            let place = &mut next[*from as usize];
            rows.items[*place as usize] = *to;
            *place += 1;
        }
        for bounds in rows.starts.windows(2) {
            rows.items[bounds[0] as usize..bounds[1] as usize].sort_unstable();
        }
        rows.deduplicated()
    }

    /// The same edges the other way round; its rows ascend because these are gone through in order.
    #[must_use]
    pub fn turned(&self) -> Self {
        let count = self.starts.len().saturating_sub(1);
        let mut rows = Self::with_lengths(count, self.items.iter().copied());
        rows.items = vec![0; self.items.len()];
        let mut next = rows.starts.clone();
        for (item, row) in self.rows() {
            for other in row {
                let place = &mut next[*other as usize];
                rows.items[*place as usize] = item;
                *place += 1;
            }
        }
        rows
    }

    /// Rows as long as items are named in `ends`, without their items.
    fn with_lengths(count: usize, ends: impl Iterator<Item = u32>) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for end in ends {
            starts[end as usize + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        Self {
            starts,
            items: Vec::new(),
        }
    }

    /// Without what stands in a row twice; rows have to ascend.
    #[must_use]
    pub fn deduplicated(mut self) -> Self {
        let mut kept = 0;
        for index in 0..self.starts.len().saturating_sub(1) {
            let (from, to) = (self.starts[index] as usize, self.starts[index + 1] as usize);
            let begin = kept;
            for place in from..to {
                let item = self.items[place];
                if kept == begin || self.items[kept - 1] != item {
                    self.items[kept] = item;
                    kept += 1;
                }
            }
            self.starts[index] = narrow(begin);
        }
        if let Some(end) = self.starts.last_mut() {
            *end = narrow(kept);
        }
        self.items.truncate(kept);
        self.items.shrink_to_fit();
        self
    }

    /// The row of an item.
    pub fn row(&self, item: u32) -> &[u32] {
        let index = item as usize;
        &self.items[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// All rows with the item each is of.
    pub fn rows(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let bounds = self.starts.windows(2);
        let rows = bounds.map(|pair| &self.items[pair[0] as usize..pair[1] as usize]);
        (0..).zip(rows)
    }
}

/// A number of items or edges; those who number them refuse more than fit.
#[expect(
    clippy::cast_possible_truncation,
    reason = "nothing that is numbered here has more items or edges than a u32 counts"
)]
pub fn narrow(count: usize) -> u32 {
    count as u32
}
