//! The production generator: fast key erasure, with fresh bytes from the operating system, in a process that may fork.

use super::BitSource;
use super::cipher::Cipher;
use super::environment::{Environment, examine};
use super::erasure::{BUFFER_BYTES, State};
use super::pages::Secret;
use super::{fork, self_test};
use crate::Error;

/// Fresh bytes from the operating system are mixed in after this many bytes, if not before.
const MIX_BYTES: u64 = 1 << 20;

const MIX_REFILLS: u64 = MIX_BYTES / BUFFER_BYTES as u64;

/// What [`SecureSource`](super::SecureSource) is, in some environment.
pub(super) struct Generator<E> {
    state: Secret<State>,
    cipher: Cipher,
    environment: E,
    /// When fresh bytes were mixed in, and how many buffers were made since.
    mixed_in: u64,
    refills: u64,
    /// How many batches were opened; the open one is the last of them. Goes on after a fork, so that a number that a caller still has never
    /// becomes another batch's.
    batches: u64,
}

impl<E: Environment> Generator<E> {
    pub(super) fn new(cipher: Cipher, environment: E) -> Result<Self, Error> {
        self_test::passed()?;
        fork::watch();
        let state = Secret::zeroed()?;
        let mut generator = Generator { state, cipher, environment, mixed_in: 0, refills: 0, batches: 0 };
        generator.start()?;
        Ok(generator)
    }

    /// Zeros are no key, so nobody draws before there is one.
    #[inline]
    fn is_foreign(&self) -> bool {
        self.state.generation() != fork::generation()
    }

    /// Keys of this process alone, in place of zeros. A failure leaves the state foreign.
    fn start(&mut self) -> Result<(), Error> {
        // Read before the seed is: a fork in between is noticed later rather than missed.
        let generation = fork::generation();
        self.mix()?;
        self.state.belongs_to(generation);
        Ok(())
    }

    /// Keys of its own for a copy made by a fork. A batch may be open: its further words come from a table that nobody else has.
    #[cold]
    #[inline(never)]
    fn start_again(&mut self) -> Result<(), Error> {
        // The kernel has wiped the state, if it can, and has unlocked the memory.
        self.state.wipe();
        self.state.protect();
        self.start()
    }

    /// As [`start_again`](Self::start_again), where there is no way to refuse.
    #[cold]
    #[inline(never)]
    fn leave_parent(&mut self) {
        // Going on would repeat the parent's noise, which cancels out by subtraction: worse than stopping.
        self.start_again().expect("no random bytes for the keys of a forked process");
    }

    /// Mixes fresh bytes into the key. A failure leaves the key as it was.
    #[cold]
    #[inline(never)]
    fn mix(&mut self) -> Result<(), Error> {
        let second = self.environment.second();
        let state = &mut *self.state;
        let seeded = self.environment.fill(state.fresh()).and_then(|()| {
            let tag = state.tag_of_fresh(self.cipher);
            examine(state.fresh(), tag, self.environment.last_tag())
        });
        if let Err(error) = seeded {
            state.forget_fresh();
            return Err(error);
        }
        state.mix(self.cipher);
        // At once, because keys of tables come from it, too.
        state.refill(self.cipher);
        self.mixed_in = second;
        self.refills = 1;
        Ok(())
    }

    /// Fresh bytes for a batch, if the last ones are of another second.
    #[inline]
    fn refresh(&mut self) -> Result<(), Error> {
        if self.environment.second() == self.mixed_in {
            return Ok(());
        }
        match self.mix() {
            // The key is as good as it was. That no bytes come is for the next second to find out again.
            Err(Error::NoEntropy { .. }) => Ok(()),
            result => result,
        }
    }

    /// Opens a batch where there is no way to refuse: a new process and a new second are then noticed when words are drawn.
    #[inline]
    pub(super) fn next_batch(&mut self) -> u64 {
        self.state.close_table();
        let batch = self.batches;
        self.batches += 1;
        batch
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self) {
        if self.refills >= MIX_REFILLS || self.environment.second() != self.mixed_in {
            // If it fails, the key is as good as it was; it is tried again at the next refill, and a batch of another second hears of it.
            if self.mix().is_ok() {
                return;
            }
        }
        self.state.refill(self.cipher);
        self.refills += 1;
    }

    /// Before words of the stream are taken.
    #[inline]
    fn prepare(&mut self) {
        if self.is_foreign() || self.state.is_drained() {
            self.renew();
        }
    }

    #[cold]
    #[inline(never)]
    fn renew(&mut self) {
        if self.is_foreign() {
            self.leave_parent();
        }
        if self.state.is_drained() {
            self.refill();
        }
    }

    /// Before refinement words are taken.
    #[inline]
    fn prepare_table(&mut self, batch: u64) {
        if self.is_foreign() {
            self.leave_parent();
        }
        // The tables of earlier batches are gone for ever.
        assert!(batch + 1 == self.batches, "batch {batch} is not open: another was opened after it, or none");
    }
}

impl<E: Environment> BitSource for Generator<E> {
    type Word = u64;

    #[inline]
    fn open_batch(&mut self) -> Result<u64, Error> {
        if self.is_foreign() {
            self.start_again()?;
        }
        self.refresh()?;
        Ok(self.next_batch())
    }

    #[inline]
    fn next_word(&mut self) -> u64 {
        loop {
            self.prepare();
            let word = self.state.take_one();
            // Unless a signal handler has just forked: once more.
            if !self.is_foreign() {
                return word;
            }
        }
    }

    #[inline]
    fn fill_words(&mut self, words: &mut [u64]) {
        // One value a call: the word stays in a register.
        if let [word] = words {
            *word = self.next_word();
            return;
        }
        let mut done = 0;
        while done < words.len() {
            self.prepare();
            let taken = self.state.take(&mut words[done..]);
            // As for one.
            if !self.is_foreign() {
                done += taken;
            }
        }
    }

    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> u64 {
        let mut word = [0];
        self.fill_refinement_words(batch, index, round, &mut word);
        word[0]
    }

    fn fill_refinement_words(&mut self, batch: u64, first: u64, round: u32, words: &mut [u64]) {
        self.prepare_table(batch);
        self.state.refine(self.cipher, batch, first, round, words);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;
    use std::sync::atomic::AtomicU64;

    impl<E> Generator<E> {
        /// The addresses of the secrets.
        pub(in crate::bits) fn secrets(&self) -> std::ops::Range<usize> {
            self.state.range()
        }

        /// As on a kernel that does not wipe pages at a fork.
        #[cfg(target_os = "linux")]
        pub(in crate::bits) fn keep_on_fork(&mut self) {
            self.state.keep_on_fork();
        }
    }

    /// What a test's operating system says.
    #[derive(Clone, Copy, PartialEq)]
    enum Answer {
        /// A seed that depends on how many were given before, and on this number.
        Seeds(u64),
        /// One seed again and again.
        Stuck,
        /// Zeros.
        Zeros,
        Nothing,
    }

    struct World {
        second: Cell<u64>,
        answer: Cell<Answer>,
        asked: Cell<u64>,
        tag: AtomicU64,
    }

    struct Scripted(Rc<World>);

    impl Environment for Scripted {
        fn fill(&mut self, seed: &mut [u8; 32]) -> Result<(), Error> {
            self.0.asked.set(self.0.asked.get() + 1);
            let number = match self.0.answer.get() {
                Answer::Seeds(n) => n + self.0.asked.get(),
                Answer::Stuck => 1 << 32,
                Answer::Zeros => {
                    seed.fill(0);
                    return Ok(());
                }
                Answer::Nothing => return Err(Error::NoEntropy { reason: "a test".into() }),
            };
            seed[..8].copy_from_slice(&number.to_le_bytes());
            seed[8..].fill(7);
            Ok(())
        }

        fn second(&mut self) -> u64 {
            self.0.second.get()
        }

        fn last_tag(&self) -> &AtomicU64 {
            &self.0.tag
        }
    }

    const CIPHERS: [Cipher; 2] = [Cipher::Aes256, Cipher::ChaCha20];

    fn world() -> Rc<World> {
        Rc::new(World {
            second: Cell::new(1000),
            answer: Cell::new(Answer::Seeds(0)),
            asked: Cell::new(0),
            tag: AtomicU64::new(0),
        })
    }

    fn generator(cipher: Cipher) -> (Rc<World>, Generator<Scripted>) {
        let world = world();
        let generator = Generator::new(cipher, Scripted(world.clone())).unwrap();
        (world, generator)
    }

    /// A generator and its copy, as a stored machine that is started twice; the operating systems give them different bytes from now on.
    fn restored_twice(cipher: Cipher) -> [(Rc<World>, Generator<Scripted>); 2] {
        [0, 1 << 40].map(|future| {
            let (world, mut generator) = generator(cipher);
            generator.open_batch().unwrap();
            generator.next_word();
            world.answer.set(Answer::Seeds(future));
            (world, generator)
        })
    }

    fn words(generator: &mut Generator<Scripted>) -> [u64; 8] {
        let mut words = [0; 8];
        generator.fill_words(&mut words);
        words
    }

    #[test]
    fn copies_part_at_the_first_batch_of_another_second() {
        for cipher in CIPHERS {
            let mut copies = restored_twice(cipher);
            let [a, b] = copies.each_mut().map(|(_, copy)| {
                let batch = copy.open_batch().unwrap();
                (words(copy), copy.refinement_word(batch, 0, 0))
            });
            assert_eq!(a, b, "within a second nobody can know: a test that can fail");
            let [a, b] = copies.each_mut().map(|(world, copy)| {
                world.second.set(1001);
                let batch = copy.open_batch().unwrap();
                (words(copy), copy.refinement_word(batch, 0, 0))
            });
            assert!(a.0.iter().all(|word| !b.0.contains(word)));
            assert_ne!(a.1, b.1);
        }
    }

    #[test]
    fn a_clock_that_goes_back_is_another_second() {
        let (world, mut generator) = generator(Cipher::fastest());
        world.second.set(10);
        generator.open_batch().unwrap();
        assert_eq!(world.asked.get(), 2);
        generator.open_batch().unwrap();
        assert_eq!(world.asked.get(), 2);
    }

    #[test]
    fn copies_part_at_the_first_refill_of_another_second() {
        for cipher in CIPHERS {
            let [a, b] = restored_twice(cipher).each_mut().map(|(world, copy)| {
                world.second.set(1001);
                let mut words = vec![0; 1000];
                copy.fill_words(&mut words);
                words
            });
            let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
            assert_eq!(same, 503, "what was in the buffer");
            assert!(a[same..].iter().all(|word| !b.contains(word)));
        }
    }

    #[test]
    fn fresh_bytes_come_after_each_mebibyte() {
        for cipher in CIPHERS {
            let (world, mut generator) = generator(cipher);
            assert_eq!(world.asked.get(), 1);
            let mut words = vec![0; 504 * 256];
            generator.fill_words(&mut words);
            assert_eq!(world.asked.get(), 1);
            generator.next_word();
            assert_eq!(world.asked.get(), 2);
            generator.fill_words(&mut words[1..]);
            assert_eq!(world.asked.get(), 2);
            generator.next_word();
            assert_eq!(world.asked.get(), 3);
        }
    }

    /// The key is as good as it was, and the system is asked again and again.
    #[test]
    fn no_fresh_bytes_are_no_reason_to_stop() {
        for cipher in CIPHERS {
            let [(world, mut mixing), (_, mut other)] = [generator(cipher), generator(cipher)];
            world.answer.set(Answer::Nothing);
            world.second.set(1001);
            for asked in 2..5 {
                mixing.open_batch().unwrap();
                other.open_batch().unwrap();
                assert_eq!(world.asked.get(), asked);
                assert_eq!(words(&mut mixing), words(&mut other));
            }
            world.answer.set(Answer::Seeds(5));
            mixing.open_batch().unwrap();
            assert_ne!(words(&mut mixing), words(&mut other));
        }
    }

    #[test]
    fn stuck_seeds_are_refused() {
        for answer in [Answer::Stuck, Answer::Zeros] {
            let (world, mut generator) = generator(Cipher::fastest());
            world.answer.set(answer);
            world.second.set(1001);
            if answer == Answer::Stuck {
                generator.open_batch().unwrap();
                world.second.set(1002);
            }
            for _ in 0..2 {
                assert!(matches!(generator.open_batch(), Err(Error::SeedRefused { .. })));
            }
            world.answer.set(Answer::Seeds(0));
            generator.open_batch().unwrap();
        }
        let world = world();
        world.answer.set(Answer::Zeros);
        let refused = Generator::new(Cipher::fastest(), Scripted(world.clone())).err();
        assert!(matches!(refused, Some(Error::SeedRefused { .. })));
        // Two sources with one seed.
        world.answer.set(Answer::Stuck);
        let _first = Generator::new(Cipher::fastest(), Scripted(world.clone())).unwrap();
        let refused = Generator::new(Cipher::fastest(), Scripted(world)).err();
        assert!(matches!(refused, Some(Error::SeedRefused { .. })));
    }

    /// What the kernel does to the child's copy.
    fn fork<E: Environment>(generator: &mut Generator<E>) {
        generator.state.wipe();
    }

    #[test]
    fn a_child_without_seed_refuses() {
        let (world, mut generator) = generator(Cipher::fastest());
        world.answer.set(Answer::Nothing);
        fork(&mut generator);
        for _ in 0..2 {
            assert!(matches!(generator.open_batch(), Err(Error::NoEntropy { .. })));
        }
        type Draw = fn(&mut Generator<Scripted>);
        let draws: [Draw; 3] = [|g| _ = g.next_word(), |g| _ = words(g), |g| _ = g.refinement_word(0, 0, 0)];
        for draw in draws {
            let drawn = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| draw(&mut generator)));
            assert!(drawn.is_err());
        }
        world.answer.set(Answer::Seeds(0));
        generator.open_batch().unwrap();
    }

    #[test]
    fn a_batch_goes_on_in_a_child_with_another_table() {
        for cipher in CIPHERS {
            let (_, mut generator) = generator(cipher);
            let batch = generator.open_batch().unwrap();
            let parents = (words(&mut generator), generator.refinement_word(batch, 0, 0));
            fork(&mut generator);
            let childs = (generator.refinement_word(batch, 0, 0), words(&mut generator));
            assert_ne!(childs.0, parents.1);
            assert_ne!(childs.1, parents.0);
            assert_eq!(generator.refinement_word(batch, 0, 0), childs.0);
            assert_eq!(generator.open_batch().unwrap(), batch + 1, "the number never comes again");
        }
    }
}
