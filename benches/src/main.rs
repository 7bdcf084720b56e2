//! tmp
use lastbit::*;
use std::hint::black_box;
use std::time::Instant;
const N: usize = 1 << 20;
fn textbook(src: &mut SecureSource, x: &mut [f64], b: f64) {
    let mut words = [0u64; 256];
    for chunk in x.chunks_mut(256) {
        let n = chunk.len();
        src.fill_words(&mut words[..n]);
        for (x, w) in chunk.iter_mut().zip(&words) {
            let s = if w & 1 == 1 { 1.0 } else { -1.0 };
            let u = ((w >> 11) | 1) as f64 * (1.0 / (1u64 << 53) as f64);
            *x -= b * s * u.ln();
        }
    }
}
fn time(name: &str, mut f: impl FnMut()) -> f64 {
    f();
    let mut v: Vec<f64> = (0..15).map(|_| { let t = Instant::now(); f(); t.elapsed().as_nanos() as f64 / N as f64 }).collect();
    v.sort_by(f64::total_cmp);
    println!("{:8.2} {:8.2} {name}", v[7], v[0]);
    v[7]
}
fn main() {
    if let Some(n) = std::env::args().nth(1) {
        let n: usize = n.parse().unwrap();
        let mut src = SecureSource::new().unwrap();
        let mut x = vec![0f64; n];
        let lap = Laplace::new(Rational::ONE).unwrap();
        lap.release_in_place(&mut src, &mut x).unwrap();
        return;
    }
    let mut src = SecureSource::new().unwrap();
    let mut words = vec![0u64; N];
    time("chacha fill", || { for c in words.chunks_mut(256) { src.fill_words(c); } black_box(&words); });
    let mut x = vec![0f64; N];
    let t = time("textbook", || { x.fill(0.0); textbook(&mut src, &mut x, 1.0); black_box(&x); });
    let lap = Laplace::new(Rational::ONE).unwrap();
    let l = time("laplace x=0", || { x.fill(0.0); lap.release_in_place(&mut src, &mut x).unwrap(); black_box(&x); });
    time("laplace x=1e6", || { x.fill(1e6); lap.release_in_place(&mut src, &mut x).unwrap(); black_box(&x); });
    time("laplace one", || { for x in x.iter_mut() { *x = lap.release(&mut src, 0.0).unwrap(); } black_box(&x); });
    println!("{}", l / t);
}
