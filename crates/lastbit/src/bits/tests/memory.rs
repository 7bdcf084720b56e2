//! Memory of a process that releases noise, as its parent reads it from `/proc`: where keys are, and where they are not.
//!
//! The child is this test binary again, with the name of a scenario in its environment. It stops at several points, and tells where its
//! sources have their secrets; the parent looks at all its writable memory then. No key need be known: the parent finds out what is in the secret pages,
//! and looks for any eight bytes of it elsewhere; and it finds the key schedules of AES-256 by the relation between their words.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use aes::Aes256Enc;
use aes::cipher::KeyInit;

use crate::bits::cipher::{Cipher, Key};
use crate::bits::environment::{Environment, System};
use crate::bits::erasure::BUFFER_BYTES;
use crate::bits::erasure::tests::offsets;
use crate::bits::generator::Generator;
use crate::{BitSource, Error, Laplace, Mechanism, Part, Rational, SecureSource, SplitSource, Threads};

// ---- The child ----

const SCENARIO: &str = "LASTBIT_MEMORY_SCENARIO";
const STOP: &str = "stopped with secrets at";

/// The operating system, but with seeds that the parent knows, too.
struct KnownSeeds {
    seeds: u64,
}

impl KnownSeeds {
    /// A byte of the `n`th seed: never more than one is in a register.
    fn byte(n: u64, i: usize) -> u8 {
        let x = (n * 32 + i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 56) as u8
    }
}

impl Environment for KnownSeeds {
    fn fill(&mut self, seed: &mut Key) -> Result<(), Error> {
        for (i, byte) in seed.iter_mut().enumerate() {
            // SAFETY: a reference. Volatile, so that bytes are written one by one and not by vector registers.
            unsafe { std::ptr::from_mut(byte).write_volatile(Self::byte(self.seeds, i)) };
        }
        self.seeds += 1;
        Ok(())
    }

    fn second(&mut self) -> u64 {
        // Fresh bytes come after each MiB only.
        1
    }

    fn last_tag(&self) -> &AtomicU64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        &LAST
    }
}

/// Tells the parent where the secrets are, and waits for it.
fn stop(secrets: &[Range<usize>]) {
    println!("{STOP} {secrets:?}");
    std::io::stdin().read_line(&mut String::new()).expect("the parent goes on");
}

/// Releases of all kinds: scalars and vectors, with and without a table.
fn release<E: Environment>(source: &mut Generator<E>) {
    let laplace = Laplace::new(Rational::ONE).unwrap();
    for _ in 0..700 {
        laplace.release(source, 0.0).unwrap();
    }
    laplace.release_in_place(source, &mut [0.0; 3000]).unwrap();
    let batch = source.open_batch().unwrap();
    source.fill_refinement_words(batch, 0, 0, &mut [0; 100]);
    source.refinement_word(batch, 0, 1);
    source.next_word();
}

fn cipher_of(scenario: &str) -> Cipher {
    if scenario.ends_with("chacha") { Cipher::ChaCha20 } else { Cipher::Aes256 }
}

thread_local! {
    /// As front ends keep their sources.
    static SOURCE: std::cell::RefCell<Option<Generator<System>>> = const { std::cell::RefCell::new(None) };
}

/// How many bytes of words are in the buffer.
fn unread<E>(source: &Generator<E>) -> usize {
    // SAFETY: a field of the state, which nobody changes meanwhile.
    unsafe { ((source.secrets().start + offsets::UNREAD) as *const usize).read() }
}

/// One source from its first release to its end.
fn life(cipher: Cipher) {
    let mut source = Generator::new(cipher, KnownSeeds { seeds: 0 }).unwrap();
    release(&mut source);
    stop(&[source.secrets()]);
    release(&mut source);
    stop(&[source.secrets()]);
    // One buffer further, and not more.
    for _ in 0..=unread(&source) / 8 {
        source.next_word();
    }
    stop(&[source.secrets()]);
    // Past the next seed.
    for _ in 0..300 {
        source.fill_words(&mut [0; 512]);
    }
    source.open_batch().unwrap();
    stop(&[source.secrets()]);
    drop(source);
    stop(&[]);
}

fn threads(cipher: Cipher) {
    const THREADS: usize = 8;
    let barrier = Arc::new(std::sync::Barrier::new(THREADS + 1));
    // Joined one by one: a scope ends when its closures have, which is before what is local to a thread is dropped.
    let (threads, sources): (Vec<_>, Vec<_>) = (0..THREADS)
        .map(|_| {
            let (send, receive) = std::sync::mpsc::channel();
            let barrier = Arc::clone(&barrier);
            let thread = std::thread::spawn(move || {
                SOURCE.with_borrow_mut(|source| {
                    let source = source.insert(Generator::new(cipher, System).unwrap());
                    release(source);
                    send.send(source.secrets()).unwrap();
                });
                barrier.wait();
            });
            (thread, receive)
        })
        .unzip();
    stop(&sources.iter().map(|source| source.recv().unwrap()).collect::<Vec<_>>());
    barrier.wait();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    stop(&[]);
}

/// Parts as a large release has them: made by one thread, used by others, dropped by the first.
fn parts() {
    let mut parts = SecureSource::new().unwrap().split(4).unwrap();
    std::thread::scope(|scope| {
        for part in &mut parts {
            scope.spawn(|| {
                for block in 0..3 {
                    let batch = part.open_block(block);
                    part.fill_words(&mut [0; 3001]);
                    part.fill_refinement_words(batch, 0, 0, &mut [0; 100]);
                    part.refinement_word(batch, 0, 1);
                }
            });
        }
    });
    stop(&parts.iter().map(SecureSource::secrets).collect::<Vec<_>>());
    drop(parts);
    // And a whole release, whose parts are gone when it is done.
    let mut source = SecureSource::new().unwrap();
    let laplace = Laplace::new(Rational::ONE).unwrap();
    let threads = Threads::new(std::num::NonZeroUsize::new(4).unwrap());
    laplace.release_in_place_with(&mut source, &mut vec![0.0; 1 << 18], threads).unwrap();
    stop(&[source.secrets()]);
    drop(source);
    stop(&[]);
}

/// Secrets left where they must not be.
fn leak(scenario: &str) {
    let mut source = Generator::new(Cipher::Aes256, System).unwrap();
    release(&mut source);
    let secrets = source.secrets();
    // SAFETY: the state of the source, which nobody changes meanwhile.
    let state: &[u8] = unsafe { std::slice::from_raw_parts(secrets.start as *const u8, secrets.len()) };
    let key = || state[offsets::KEY..].first_chunk::<32>().unwrap();
    let mut kept: Box<[u8; 64]> = Box::new([0; 64]);
    match scenario {
        "leak: schedule on the heap" => {
            std::hint::black_box(Box::leak(Box::new(Aes256Enc::new(key().into()))));
        }
        "leak: schedule on the stack" => unscrubbed(key()),
        "leak: key on the heap" => kept[17 - 9..][..32].copy_from_slice(key()),
        "leak: word on the heap" => {
            kept[..8].copy_from_slice(&state[offsets::BUFFER + BUFFER_BYTES - 8..][..8]);
        }
        other => panic!("no scenario {other}"),
    }
    stop(&[secrets]);
    // The key is old then.
    release(&mut source);
    stop(&[source.secrets()]);
    std::hint::black_box(kept);
}

/// What happens if nobody cleans up.
#[inline(never)]
fn unscrubbed(key: &Key) {
    // Deep enough that what comes later does not write over it.
    let room = std::hint::black_box([0u64; 4096]);
    let cipher = Aes256Enc::new(key.into());
    std::hint::black_box(&cipher);
    std::mem::forget(cipher);
    std::hint::black_box(room);
}

/// Not a test by itself: what the others start.
#[test]
fn child() {
    let Ok(scenario) = std::env::var(SCENARIO) else { return };
    match scenario.as_str() {
        "life: aes" | "life: chacha" => life(cipher_of(&scenario)),
        "threads: aes" | "threads: chacha" => threads(cipher_of(&scenario)),
        "parts" => parts(),
        leaks => leak(leaks),
    }
}

// ---- The parent ----

struct Watched {
    process: std::process::Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

/// A mapping of the child, and what it is called.
struct Mapping {
    start: usize,
    bytes: Vec<u8>,
    name: String,
}

/// The child at a stop.
struct Snapshot {
    secrets: Vec<Range<usize>>,
    mappings: Vec<Mapping>,
}

impl Watched {
    fn start(scenario: &str) -> Watched {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["bits::tests::memory::child", "--exact", "--nocapture", "--test-threads=1"])
            .env(SCENARIO, scenario)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Watched { process, lines }
    }

    /// The child at its next stop; it goes on afterwards.
    fn next(&mut self) -> Snapshot {
        let line = self.lines.find_map(|line| {
            let line = line.unwrap();
            line.split_once(STOP).map(|(_, secrets)| secrets.to_owned())
        });
        let secrets = ranges(&line.expect("the child stops once more"));
        let snapshot = Snapshot { secrets, mappings: self.mappings() };
        self.process.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        snapshot
    }

    /// All that it can write to and has to itself.
    fn mappings(&self) -> Vec<Mapping> {
        let id = self.process.id();
        let memory = std::fs::File::open(format!("/proc/{id}/mem")).unwrap();
        let maps = std::fs::read_to_string(format!("/proc/{id}/maps")).unwrap();
        let mappings = maps.lines().filter_map(|line| {
            let mut fields = line.split_whitespace();
            let (start, end) = fields.next()?.split_once('-')?;
            let writable = fields.next()?.starts_with("rw-p");
            let name = fields.nth(3).unwrap_or("").to_owned();
            let [start, end] = [start, end].map(|address| usize::from_str_radix(address, 16).unwrap());
            let mut bytes = vec![0; end - start];
            (writable && memory.read_exact_at(&mut bytes, start as u64).is_ok()).then_some(Mapping {
                start,
                bytes,
                name,
            })
        });
        mappings.collect()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // Also when a test failed in between.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads what `{:?}` writes.
fn ranges(text: &str) -> Vec<Range<usize>> {
    text.trim()
        .trim_matches(['[', ']'])
        .split(", ")
        .filter(|range| !range.is_empty())
        .map(|range| {
            let (start, end) = range.split_once("..").unwrap();
            start.parse().unwrap()..end.parse().unwrap()
        })
        .collect()
}

/// Whether eight bytes look random: at least five different ones. Of those that are, one in two million does not.
fn looks_random(word: u64) -> bool {
    let bytes = word.to_le_bytes();
    (0..8).filter(|&i| !bytes[..i].contains(&bytes[i])).count() >= 5
}

/// The aligned words of bytes.
fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes))
}

fn random_words_of(bytes: &[u8]) -> HashSet<u64> {
    words_of(bytes).filter(|word| looks_random(*word)).collect()
}

impl Snapshot {
    fn bytes(&self, range: Range<usize>) -> &[u8] {
        let mapping =
            self.mappings.iter().find(|m| (m.start..m.start + m.bytes.len()).contains(&range.start));
        let mapping = mapping.unwrap_or_else(|| panic!("{range:x?} is not mapped"));
        &mapping.bytes[range.start - mapping.start..range.end - mapping.start]
    }

    fn part(&self, source: usize, offset: usize, length: usize) -> &[u8] {
        let start = self.secrets[source].start + offset;
        self.bytes(start..start + length)
    }

    fn parts(&self, parts: &[(usize, usize)]) -> HashSet<u64> {
        (0..self.secrets.len())
            .flat_map(|source| parts.iter().map(move |part| (source, part)))
            .flat_map(|(source, &(offset, length))| random_words_of(self.part(source, offset, length)))
            .collect()
    }

    /// What must be nowhere once the next buffer is made.
    fn stream_keys(&self) -> HashSet<u64> {
        self.parts(&[(offsets::KEY, 32), (offsets::TABLE_KEY, 32)])
    }

    /// What must be nowhere once there is also another batch. Words are not among them: they may still be on the way to a result.
    fn keys(&self) -> HashSet<u64> {
        self.parts(&[(offsets::KEY, 32), (offsets::TABLE_KEY, 32), (offsets::TABLE, 256)])
    }

    /// All that is random in the secret pages.
    fn everything(&self) -> HashSet<u64> {
        self.secrets.iter().flat_map(|range| random_words_of(self.bytes(range.clone()))).collect()
    }

    fn is_secret(&self, address: usize) -> bool {
        self.secrets.iter().any(|range| range.contains(&address))
    }

    /// Where words are found, at any address that is a multiple of four.
    fn find(&self, words: &HashSet<u64>) -> Vec<(usize, &str)> {
        let mut found = Vec::new();
        for mapping in &self.mappings {
            for offset in (0..mapping.bytes.len() - 7).step_by(4) {
                let word = u64::from_le_bytes(*mapping.bytes[offset..].first_chunk().unwrap());
                if word != 0 && words.contains(&word) {
                    found.push((mapping.start + offset, mapping.name.as_str()));
                }
            }
        }
        found
    }

    /// Where key schedules of AES-256 are.
    fn schedules(&self) -> Vec<(usize, &str)> {
        let sbox = sbox();
        let mut found = Vec::new();
        for mapping in &self.mappings {
            // The first round keys suffice to make the others, so they suffice to be found: 48 of 240 bytes.
            for offset in (0..mapping.bytes.len().saturating_sub(47)).step_by(4) {
                if is_schedule(&sbox, mapping.bytes[offset..].first_chunk().unwrap()) {
                    found.push((mapping.start + offset, mapping.name.as_str()));
                }
            }
        }
        found
    }
}

/// The substitution of AES, from its definition: the inverse in GF(2^8), and an affine map.
fn sbox() -> [u8; 256] {
    let mut sbox = [0x63; 256];
    let (mut p, mut q) = (1u8, 1u8);
    loop {
        p ^= p << 1 ^ if p & 0x80 != 0 { 0x1b } else { 0 }; // times 3
        q ^= q << 1; // divided by 3
        q ^= q << 2;
        q ^= q << 4;
        q ^= if q & 0x80 != 0 { 0x09 } else { 0 };
        let affine = q ^ q.rotate_left(1) ^ q.rotate_left(2) ^ q.rotate_left(3) ^ q.rotate_left(4);
        sbox[usize::from(p)] = affine ^ 0x63;
        if p == 1 {
            return sbox;
        }
    }
}

/// Whether the first eight words expand to the next four, in any of the seven rounds: part of a schedule is as good as all of it.
fn is_schedule(sbox: &[u8; 256], bytes: &[u8; 48]) -> bool {
    let word = |i: usize| u32::from_le_bytes(*bytes[4 * i..].first_chunk().unwrap());
    let substitute = |word: u32| u32::from_le_bytes(word.to_le_bytes().map(|byte| sbox[usize::from(byte)]));
    let constant = word(8) ^ word(0) ^ substitute(word(7).rotate_right(8));
    constant.is_power_of_two() && constant <= 0x40 && (1..4).all(|i| word(8 + i) == word(i) ^ word(8 + i - 1))
}

#[test]
fn schedules_are_recognized() {
    // FIPS 197, appendix A.3: the key, and the four words that follow from it.
    let words: [u32; 12] = [
        0x603d_eb10,
        0x15ca_71be,
        0x2b73_aef0,
        0x857d_7781,
        0x1f35_2c07,
        0x3b61_08d7,
        0x2d98_10a3,
        0x0914_dff4,
        0x9ba3_5411,
        0x8e69_25af,
        0xa51a_8b5f,
        0x2067_fcde,
    ];
    let mut bytes: [u8; 48] = words.map(u32::to_be_bytes).as_flattened().try_into().unwrap();
    assert!(is_schedule(&sbox(), &bytes));
    bytes[47] ^= 1;
    assert!(!is_schedule(&sbox(), &bytes));
    assert!(!is_schedule(&sbox(), &[0; 48]));
}

/// Everything that is secret is in its pages and nowhere else, and what was read is no longer even there.
fn assert_in_pages_only(snapshot: &Snapshot) {
    let outside: Vec<_> = snapshot
        .find(&snapshot.everything())
        .into_iter()
        .filter(|(address, _)| !snapshot.is_secret(*address))
        .collect();
    assert_eq!(outside, [], "copies of secrets");
    for source in 0..snapshot.secrets.len() {
        let unread = usize::from_le_bytes(*snapshot.part(source, offsets::UNREAD, 8).first_chunk().unwrap());
        let buffer = snapshot.part(source, offsets::BUFFER, BUFFER_BYTES);
        let (read, unread) = buffer.split_at(BUFFER_BYTES - unread);
        assert!(read.iter().all(|&byte| byte == 0), "words that were read");
        assert!(words_of(unread).all(|word| word != 0), "{} bytes to read", unread.len());
    }
}

/// The only schedules are those of the tables of open batches, in their place.
fn assert_schedules_are_tables(snapshot: &Snapshot) {
    let schedules = snapshot.schedules();
    let tables: Vec<_> = snapshot.secrets.iter().map(|s| s.start + offsets::TABLE).collect();
    for (address, name) in &schedules {
        let in_table = tables.iter().any(|table| (*table..*table + 256).contains(address));
        assert!(in_table, "a key schedule at {address:x} in {name:?}");
    }
    if aes::hardware_accelerated() {
        // A schedule has seven rounds.
        assert_eq!(schedules.len(), 7 * tables.len());
    }
}

fn seeds(n: u64) -> HashSet<u64> {
    (0..n)
        .flat_map(|n| {
            let seed: Key = std::array::from_fn(|i| KnownSeeds::byte(n, i));
            random_words_of(&seed)
        })
        .collect()
}

#[test]
fn keys_of_a_source_are_in_its_pages_and_old_ones_nowhere() {
    for scenario in ["life: aes", "life: chacha"] {
        let mut child = Watched::start(scenario);
        let [first, second] = [child.next(), child.next()];
        for snapshot in [&first, &second] {
            assert_in_pages_only(snapshot);
            assert_schedules_are_tables(snapshot);
            assert!(snapshot.keys().len() >= 8, "there are keys to look for");
        }
        assert_eq!(second.find(&first.keys()), [], "{scenario}: old keys");
        let one_refill_later = child.next();
        assert_in_pages_only(&one_refill_later);
        assert_eq!(second.stream_keys().len(), 8);
        assert_eq!(
            one_refill_later.find(&second.stream_keys()),
            [],
            "{scenario}: the key of the buffer that is read"
        );
        let third = child.next();
        assert_in_pages_only(&third);
        assert_eq!(third.schedules(), [], "the table of a closed batch");
        assert_eq!(third.find(&second.keys()), [], "{scenario}: old keys");
        assert_eq!(seeds(2).len(), 8);
        for snapshot in [&first, &second, &third] {
            assert_eq!(snapshot.find(&seeds(4)), [], "{scenario}: seeds");
        }
        let end = child.next();
        assert_eq!(end.find(&third.everything()), [], "{scenario}: secrets of a dropped source");
        assert_eq!(end.schedules(), []);
    }
}

#[test]
fn keys_of_threads_that_ended_are_nowhere() {
    for scenario in ["threads: aes", "threads: chacha"] {
        let mut child = Watched::start(scenario);
        let [alive, ended] = [child.next(), child.next()];
        assert_eq!(alive.secrets.len(), 8);
        assert_in_pages_only(&alive);
        assert_schedules_are_tables(&alive);
        assert_eq!(ended.find(&alive.everything()), [], "{scenario}");
        assert_eq!(ended.schedules(), [], "{scenario}");
    }
}

#[test]
fn keys_of_parts_are_in_their_pages_and_gone_with_them() {
    let mut child = Watched::start("parts");
    let [alive, released, ended] = [child.next(), child.next(), child.next()];
    assert_eq!(alive.secrets.len(), 4);
    assert_in_pages_only(&alive);
    assert_schedules_are_tables(&alive);
    assert_in_pages_only(&released);
    assert_eq!(released.schedules(), [], "tables of blocks");
    for later in [&released, &ended] {
        assert_eq!(later.find(&alive.everything()), []);
    }
    assert_eq!(ended.find(&released.everything()), []);
    assert_eq!(ended.schedules(), []);
}

/// The tests above can fail.
#[test]
fn leaks_are_found() {
    for scenario in ["leak: schedule on the heap", "leak: schedule on the stack"] {
        let mut child = Watched::start(scenario);
        let snapshot = child.next();
        let outside =
            snapshot.schedules().iter().filter(|(address, _)| !snapshot.is_secret(*address)).count();
        assert!(outside >= 7, "{scenario}: {outside} rounds found");
    }
    for (scenario, words) in [("leak: key on the heap", 4), ("leak: word on the heap", 1)] {
        let mut child = Watched::start(scenario);
        let [before, after] = [child.next(), child.next()];
        let found = before.find(&before.everything());
        let outside = found.iter().filter(|(address, _)| !before.is_secret(*address)).count();
        assert_eq!(outside, words, "{scenario}");
        // And as old ones.
        assert_eq!(after.find(&before.everything()).len(), words, "{scenario}");
    }
}
