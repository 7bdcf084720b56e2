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

fn cases(src: &mut SecureSource, case: &str, x: &mut Vec<f64>, xi: &mut Vec<i64>) {
    let one = Rational::ONE;
    match case {
        "textbook" => textbook(src, x, 1.0),
        "laplace" => Laplace::new(one).unwrap().release_in_place(src, x).unwrap(),
        "hardened" => Laplace::new(one).unwrap().hardened().release_in_place(src, x).unwrap(),
        "grid-20" => GridLaplace::<f64>::new(one, Some(-20)).unwrap().release_in_place(src, x).unwrap(),
        "grid-40" => GridLaplace::<f64>::new(one, Some(-40)).unwrap().release_in_place(src, x).unwrap(),
        "grid-min" => GridLaplace::<f64>::new(one, Some(-1074)).unwrap().release_in_place(src, x).unwrap(),
        "dlap" => DiscreteLaplace::new(Rational::from(10)).unwrap().release_in_place(src, xi).unwrap(),
        "dgauss" => DiscreteGaussian::new(&Rational::from(10)).unwrap().release_in_place(src, xi).unwrap(),
        "snap" => Snapping::new(one, Rational::from(1000)).unwrap().release_in_place(src, x).unwrap(),
        "snapf" => FloatSnapping::new(1.0, 300.0).unwrap().release_in_place(src, x).unwrap(),
        "lap-int" => Laplace::new(Rational::from(10)).unwrap().release_in_place(src, xi).unwrap(),
        _ => panic!(),
    }
}
fn main() {
    let mut src = SecureSource::new().unwrap();
    let args: Vec<String> = std::env::args().collect();
    if args.len() == 3 {
        let n: usize = args[2].parse().unwrap();
        let mut x = vec![0f64; n];
        let mut xi = vec![0i64; n];
        cases(&mut src, &args[1], &mut x, &mut xi);
        return;
    }
    let mut x = vec![0f64; N];
    let mut xi = vec![0i64; N];
    for case in ["textbook", "laplace", "hardened", "grid-20", "grid-40", "grid-min", "dlap", "dgauss", "snap", "snapf", "lap-int", "textbook"] {
        time(case, || { x.fill(0.0); xi.fill(0); cases(&mut src, case, &mut x, &mut xi); black_box((&x, &xi)); });
    }
    let lap = Laplace::new(Rational::ONE).unwrap();
    time("laplace one", || { for x in x.iter_mut() { *x = lap.release(&mut src, 0.0).unwrap(); } black_box(&x); });
    let lap = DiscreteLaplace::new(Rational::from(10)).unwrap();
    time("dlap one", || { for x in xi.iter_mut() { *x = lap.release(&mut src, 0).unwrap(); } black_box(&x); });
    let lap = Snapping::new(Rational::ONE, Rational::from(1000)).unwrap();
    time("snap one", || { for x in x.iter_mut() { *x = lap.release(&mut src, 0.0).unwrap(); } black_box(&x); });
}
