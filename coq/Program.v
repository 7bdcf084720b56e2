(** Straight-line programs and their two readings: over the reals, and in IEEE arithmetic rounded to
    nearest even.

    A program is a list of operations. Operation number k (from 1) may refer to operations with smaller
    numbers. The last operation is not special: which one is the result is said where a theorem is stated. *)
From Coq Require Import Reals ZArith QArith Qreals List FMapPositive.
From Flocq Require Import Core BinarySingleNaN.
From Lastbit Require Import Snapping.
Import ListNotations.
Open Scope R_scope.

(** How halves are rounded to a grid: up, to even, away from zero. *)
Inductive tie := Up | Even | Away.

Inductive comparison := Less | LessOrEqual | Equal.

Inductive op :=
| Input (i : nat)                          (* the input number i, from 0 *)
| Const (q : Q) (m e : Z)                  (* the fraction q, for which the float reading has m*2^e *)
| Neg (a : positive) | Abs (a : positive)
| Add (a b : positive) | Sub (a b : positive) | Mul (a b : positive) | Div (a b : positive)
| Fma (a b c : positive)                   (* a*b + c, rounded once *)
| Sqrt (a : positive) | Ln (a : positive) | Exp (a : positive)
| Min (a b : positive) | Max (a b : positive)
| Clamp (a bound : positive)
| Round (a : positive) (k : Z) (t : tie)   (* to the nearest multiple of 2^k *)
| Select (c : comparison) (a b yes no : positive).

Definition program := list op.

(** * The real reading *)

Definition tie_up (t : tie) : Z -> bool := match t with
  | Up => ties_up | Even => ties_even | Away => ties_away end.

(** The multiple of 2^k nearest to x. *)
Definition to_grid (k : Z) (t : tie) (x : R) : R := round radix2 (FIX_exp k) (Znearest (tie_up t)) x.

Definition clampR (x bound : R) : R := clamp bound x.

Lemma clampR_eq x bound : clampR x bound = Rmax (Rmin x bound) (- bound).
Proof. unfold clampR, clamp. now rewrite Rmax_comm, Rmin_comm. Qed.

Definition holdsR (c : comparison) (x y : R) : bool := match c with
  | Less => Rlt_bool x y | LessOrEqual => Rle_bool x y | Equal => Req_bool x y end.

Definition getR (env : PositiveMap.t R) (a : positive) : R :=
  match PositiveMap.find a env with Some x => x | None => 0 end.

Definition stepR (xs : list R) (env : PositiveMap.t R) (o : op) : R :=
  let v := getR env in
  match o with
  | Input i => nth i xs 0
  | Const q _ _ => Q2R q
  | Neg a => - v a
  | Abs a => Rabs (v a)
  | Add a b => v a + v b
  | Sub a b => v a - v b
  | Mul a b => v a * v b
  | Div a b => v a / v b
  | Fma a b c => v a * v b + v c
  | Sqrt a => sqrt (v a)
  | Ln a => ln (v a)
  | Exp a => exp (v a)
  | Min a b => Rmin (v a) (v b)
  | Max a b => Rmax (v a) (v b)
  | Clamp a bound => clampR (v a) (v bound)
  | Round a k t => to_grid k t (v a)
  | Select c a b yes no => if holdsR c (v a) (v b) then v yes else v no
  end.

(** The values of operations number k and up. *)
Fixpoint runR (p : program) (k : positive) (xs : list R) (env : PositiveMap.t R) : PositiveMap.t R :=
  match p with
  | [] => env
  | o :: p => runR p (Pos.succ k) xs (PositiveMap.add k (stepR xs env o) env)
  end.

(** The real value of operation number `result` on the inputs xs. *)
Definition real_value (p : program) (result : positive) (xs : list R) : R :=
  getR (runR p 1 xs (PositiveMap.empty R)) result.

(** * The float reading *)
Section Float.
Context {prec emax : Z} {Hprec : Prec_gt_0 prec} {Hmax : Prec_lt_emax prec emax}.
Notation float := (binary_float prec emax).

(** The functions that a library brings. What is known of them is said in Libm.v. *)
Record libm := { flln : float -> float; flexp : float -> float; flgrid : Z -> tie -> float -> float }.

Definition fzero : float := B754_zero false.

(** m*2^e, which is a float wherever a theorem uses it. *)
Definition of_dyadic (m e : Z) : float := binary_normalize prec emax Hprec Hmax mode_NE m e false.

Definition holdsF (c : comparison) (x y : float) : bool := match c with
  | Less => Bltb x y | LessOrEqual => Bleb x y | Equal => Beqb x y end.

Definition minF (x y : float) : float := if Bleb x y then x else y.
Definition maxF (x y : float) : float := if Bleb x y then y else x.
Definition clampF (x bound : float) : float := maxF (minF x bound) (Bopp bound).

Definition getF (env : PositiveMap.t float) (a : positive) : float :=
  match PositiveMap.find a env with Some x => x | None => fzero end.

Variable lib : libm.

Definition stepF (xs : list float) (env : PositiveMap.t float) (o : op) : float :=
  let v := getF env in
  match o with
  | Input i => nth i xs fzero
  | Const _ m e => of_dyadic m e
  | Neg a => Bopp (v a)
  | Abs a => Babs (v a)
  | Add a b => Bplus mode_NE (v a) (v b)
  | Sub a b => Bminus mode_NE (v a) (v b)
  | Mul a b => Bmult mode_NE (v a) (v b)
  | Div a b => Bdiv mode_NE (v a) (v b)
  | Fma a b c => Bfma mode_NE (v a) (v b) (v c)
  | Sqrt a => Bsqrt mode_NE (v a)
  | Ln a => flln lib (v a)
  | Exp a => flexp lib (v a)
  | Min a b => minF (v a) (v b)
  | Max a b => maxF (v a) (v b)
  | Clamp a bound => clampF (v a) (v bound)
  | Round a k t => flgrid lib k t (v a)
  | Select c a b yes no => if holdsF c (v a) (v b) then v yes else v no
  end.

Fixpoint runF (p : program) (k : positive) (xs : list float) (env : PositiveMap.t float) :
    PositiveMap.t float :=
  match p with
  | [] => env
  | o :: p => runF p (Pos.succ k) xs (PositiveMap.add k (stepF xs env o) env)
  end.

Definition float_value (p : program) (result : positive) (xs : list float) : float :=
  getF (runF p 1 xs (PositiveMap.empty float)) result.

(** * Inputs *)

(** What an input is: its kind, and a range. *)
Inductive kind := Float | Real | Sign | Integer.
Record input := Range { of_kind : kind; low : Q; high : Q }.

(** x is a value of the input, and f the float by which the float reading takes it: itself, or the float
    nearest to it. *)
Definition is_input (i : input) (x : R) (f : float) : Prop :=
  Q2R (low i) <= x <= Q2R (high i) /\ is_finite f = true /\
  match of_kind i with
  | Float => x = B2R f
  | Real => B2R f = round radix2 (SpecFloat.fexp prec emax) ZnearestE x
  | Sign => x = B2R f /\ (x = 1 \/ x = -1)
  | Integer => x = B2R f /\ exists n, x = IZR n
  end.

Inductive are_inputs : list input -> list R -> list float -> Prop :=
| no_inputs : are_inputs [] [] []
| one_more i is x xs f fs : is_input i x f -> are_inputs is xs fs -> are_inputs (i :: is) (x :: xs) (f :: fs).

(** * What an error bound says *)

(** On all inputs the float value is finite, the real value lies in [lo, hi], and they differ by at most d. *)
Definition error_bound (is : list input) (p : program) (result : positive) (lo hi d : R) : Prop :=
  forall xs fs, are_inputs is xs fs ->
    let r := real_value p result xs in let f := float_value p result fs in
    is_finite f = true /\ lo <= r <= hi /\ Rabs (B2R f - r) <= d.
End Float.
Arguments libm : clear implicits.
