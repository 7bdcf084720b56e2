"""Proofs against what the documentation says of the repository's mechanisms and kernels."""

import json
import math
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from markup import elements

import lastbit

REPOSITORY = Path(__file__).parents[2]
CORE = '(FPCore (x u) :name "core" :pre (and (<= -1024 x 1024) (<= 0x1p-1074 u 1)) (+ x (* 10 (log u))))'


def text_of(name: str) -> str:
    return (REPOSITORY / "mechanisms" / name).read_text()


def privacy(name: str, **parameters: Any) -> lastbit.PrivacyProof:
    (proof,) = lastbit.prove(text_of(name), **parameters)
    assert isinstance(proof, lastbit.PrivacyProof)
    return proof


def bound(text: str, **options: Any) -> lastbit.ErrorBound:
    (proof,) = lastbit.prove(text, **options)
    assert isinstance(proof, lastbit.ErrorBound)
    return proof


def test_the_core_of_the_snapping_mechanism() -> None:
    core = bound(CORE, effort="fast")
    assert core.error == Fraction(17, 2**43)
    assert core.claim_proved is None and core.format == "binary64"
    assert "ADD" in core.derivation
    assert lastbit.check(core.certificate).startswith("core: |float - real| <= 1.93268e-12")


def test_more_effort_is_not_worse() -> None:
    text = '(FPCore (x) :name "p" :pre (<= 0 x 1) (- (* x x) x))'
    errors = [bound(text, effort=effort).error for effort in ("fast", "normal", 2000)]
    assert errors[0] >= errors[1] >= errors[2] > 0


def test_a_claimed_bound() -> None:
    kernel = text_of("kernels/exponential.lb")
    assert bound(kernel, program="exponential").claim_proved is True
    less = kernel.replace("2^-51 *", "2^-53 *")
    assert bound(less, program="exponential").claim_proved is False


@pytest.mark.parametrize("change", ['"error":"', '"range":["'])
def test_forged_error_certificates(change: str) -> None:
    certificate = bound(CORE, effort="fast").certificate
    assert change in certificate
    with pytest.raises(lastbit.CertificateError):
        lastbit.check(certificate.replace(change, change + "1", 1))


@pytest.mark.parametrize("certificate", ["", "{}", "[1]", "null", '{"lastbit": "privacy certificate"}', "\0"])
def test_what_is_no_certificate(certificate: str) -> None:
    with pytest.raises(lastbit.CertificateError):
        lastbit.check(certificate)


def test_laplace_over_the_reals() -> None:
    proof = privacy("laplace.lb")
    assert (proof.verdict, proof.claim, proof.cost, proof.witness) == ("proved", "eps", "eps", None)
    assert "LAP-GEN z -> x<1> + z - x<2> [eps]" in proof.derivation
    assert str(proof).splitlines()[0] == f"laplace: PROVED: {proof.statement}"
    assert proof.certificate is not None
    assert lastbit.check(proof.certificate) == "laplace: eps-DP (pure, cost eps), for all eps > 0 and all |x<1> - x<2>| <= 1"
    with pytest.raises(lastbit.CertificateError):
        lastbit.check(proof.certificate.replace("lap(1 / eps)", "lap(1 / (2 * eps))"))


def test_snapping_has_two_proofs() -> None:
    proof = privacy("snapping.lb")
    assert proof.verdict == "proved" and len(proof.certificates) == 2
    assert all(lastbit.check(certificate).startswith("snap: ") for certificate in proof.certificates)


def test_a_theorem_about_no_inputs() -> None:
    text = """
    mechanism leaks(x: real) -> real
      param eps: real > 0, t: real
      adjacent |x<1> - x<2>| <= 1
      assume t > 1
      assume t < 0
      claim pure eps
    { return x }
    """
    (proof,) = lastbit.prove(text)
    assert isinstance(proof, lastbit.PrivacyProof) and proof.certificate is not None
    said = lastbit.check(proof.certificate)
    vacuous = "VACUOUS, no two inputs satisfy what is declared about them"
    assert said == f"leaks: {vacuous}: eps-DP (pure, cost eps), for all eps > 0, t and all |x<1> - x<2>| <= 1, if t > 1 and t < 0"


def test_all_that_is_private_has_certificates() -> None:
    for name in ("standard/sparse_vector.lb", "standard/noisy_max.lb", "randomized_response.lb"):
        for proof in lastbit.prove(text_of(name)):
            assert isinstance(proof, lastbit.PrivacyProof) and proof.verdict == "proved", proof.name
            assert all(lastbit.check(certificate) for certificate in proof.certificates)


def test_broken_sparse_vectors() -> None:
    proofs = lastbit.prove(text_of("standard/broken_sparse_vector.lb"))
    assert [proof.name for proof in proofs] == ["svt_3", "svt_4", "svt_4_twice", "svt_5", "svt_6"]
    for proof in proofs:
        assert isinstance(proof, lastbit.PrivacyProof)
        assert proof.verdict == "refuted" and proof.witness is not None and not proof.certificates
        witness = proof.witness
        assert witness.loss_lower_bound > witness.claimed == 1
        (low, _, _), (_, high, _) = witness.probabilities
        if witness.loss_lower_bound == math.inf:
            assert high == 0 < low
        else:
            assert math.log(low / high) >= witness.loss_lower_bound - Fraction(1, 10**9)
    (_, _, exact), (_, _, zero) = proofs[3].witness.probabilities  # type: ignore[union-attr]
    assert (exact, zero) == ("1/2 - 1/2·e^(-1/2)", "0")


def test_a_published_proof_is_rejected() -> None:
    proof = privacy("figure2.lb")
    assert proof.verdict == "rejected" and "REJECTED at step" in proof.derivation


def test_snapping_in_doubles() -> None:
    proof = privacy("snapping_f64.lb", epsilon="1/2", bound=10, grid=4)
    assert (proof.verdict, proof.cost) == ("proved", "0.50000000000000269348")
    # The certificate holds the text, and is about no other.
    (certificate,) = proof.certificates
    text = text_of("snapping_f64.lb")
    assert "loss <= 0.5000000000000026" in lastbit.check(certificate, text)
    for other in (text.replace("<= 1", "<= 20"), text.replace("s <$ sign;", "s := 1;")):
        with pytest.raises(lastbit.CertificateError, match="another mechanism"):
            lastbit.check(certificate, other)
    beyond = privacy("snapping_f64.lb", epsilon=1, bound=1000)
    assert beyond.verdict == "refuted" and "pure differential privacy: false" in beyond.derivation


def test_a_theorem_for_open_parameters() -> None:
    proof = privacy("snapping_f64.lb")
    assert (proof.verdict, proof.json()["kind"], proof.certificates) == ("proved", "theorem", ())
    assert "loss <= eps·Δ + " in proof.json()["theorem_a"]
    # One value of two is not enough, and that is said.
    half = privacy("snapping_f64.lb", epsilon=1)
    assert half.verdict == "proved" and "give the values of all parameters: B=…" in " ".join(half.notes)


def test_what_to_try() -> None:
    proof = lastbit.prove(
        """
        mechanism m(x: real) -> real
          param eps: real > 0, B: real > 0
          adjacent |x<1> - x<2>| <= B
          claim pure eps
        { z <$ lap(B / eps);  y <$ lap(1 / eps);  return (x + z) * (1 + y * y) }"""
    )[0]
    assert isinstance(proof, lastbit.PrivacyProof) and proof.verdict == "undecided"
    assert proof.tried and any("B=100" in step and "--" not in step for step in proof.next)


def test_the_textbook_in_doubles() -> None:
    proof = privacy("laplace_f64.lb", epsilon=1)
    assert proof.verdict == "refuted" and proof.witness is not None
    witness = proof.witness
    assert witness.inputs == ({"x": "0"}, {"x": "1"}) and witness.loss_lower_bound == math.inf
    assert witness.event == "r = -0x1p-53"
    (low, high, exact), (zero, _, _) = witness.probabilities
    assert low == high == Fraction(1, 18014398509481982) and exact == "1/18014398509481982" and zero == 0


def test_values_for_parameters() -> None:
    text = """
mechanism scaled(x: real) -> real
  param eps: real > 0
  param n: int > 0
  adjacent |x<1> - x<2>| <= 1
  claim pure 2 * eps
{ z <$ lap(n / eps);  return x + z }"""
    proof = lastbit.prove(text, n=1)[0]
    assert isinstance(proof, lastbit.PrivacyProof) and proof.verdict == "proved"
    assert proof.certificate is not None and ", at n = 1, for all eps > 0" in lastbit.check(proof.certificate)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("mechanism x", (1, 12), "expected `(`"),
        ("(FPCore (x) (+ x", (1, 13), "`)` is missing"),
        ("(FPCore (x)\n (+ x 1))", (1, 10), "the argument `x` has no range"),
        ("", (1, 1), "the text declares nothing"),
        ("(FPCore (x) :pre (<= -1 x 1)\n  (/ 1 x))", (2, 3), "no bound"),
    ],
)
def test_mistakes_have_a_place(text: str, place: tuple[int, int], message: str) -> None:
    with pytest.raises(lastbit.ProgramError) as caught:
        lastbit.prove(text)
    assert (caught.value.line, caught.value.column) == place
    assert message in caught.value.message and message in str(caught.value)


def test_a_certificate_is_about_a_text() -> None:
    core, laplace = bound(CORE, effort="fast"), privacy("laplace.lb")
    assert laplace.certificate is not None
    assert lastbit.check(core.certificate, CORE) and lastbit.check(laplace.certificate, text_of("laplace.lb"))
    for certificate, text, message in [
        (core.certificate, CORE.replace("1024)", "1025)"), "it is about another program"),
        (core.certificate, CORE.replace("core", "other").replace("(* 10", "(* 11"), "it is about another program"),
        (laplace.certificate, text_of("laplace.lb").replace("<= 1", "<= 2"), "it is about another mechanism laplace"),
        (laplace.certificate, text_of("randomized_response.lb"), "text has no laplace"),
    ]:
        with pytest.raises(lastbit.CertificateError, match=message):
            lastbit.check(certificate, text)
    with pytest.raises(lastbit.ProgramError):
        lastbit.check(laplace.certificate, "mechanism ?")


def test_refusals() -> None:
    with pytest.raises(lastbit.ParameterError, match='there is no program "other"'):
        lastbit.prove(CORE, program="other")
    with pytest.raises(lastbit.ParameterError, match="effort must be"):
        lastbit.prove(CORE, effort="much")
    with pytest.raises(lastbit.ParameterError, match="effort must be"):
        lastbit.prove(CORE, effort=0)
    with pytest.raises(lastbit.ParameterError, match="FPCore has no parameters"):
        lastbit.prove(CORE, epsilon=1)
    with pytest.raises(lastbit.ParameterError, match="no parameter B: there are eps"):
        lastbit.prove(text_of("laplace.lb"), bound=1)


def test_a_sequence_by_value() -> None:
    text = text_of("standard/noisy_max.lb")
    proofs = lastbit.prove(text)
    assert proofs == lastbit.prove(text) and proofs == pickle.loads(pickle.dumps(proofs))
    assert proofs[:1] == lastbit.prove(text, program=proofs[0].name)
    assert hash(proofs) == hash(lastbit.prove(text))
    assert json.loads(proofs[0].certificate or "")["lastbit"] == "privacy certificate"


def test_notebooks() -> None:
    seen = elements(lastbit.prove(text_of("standard/broken_sparse_vector.lb"))._repr_html_())
    assert seen.count("table") == 5 and seen.count("details") == 5
    assert elements(privacy("laplace.lb")._repr_html_()) == ["div", "p", "details", "summary", "pre"]
    html = lastbit.prove(CORE.replace('"core"', '"<script>"'), effort="fast")._repr_html_()
    elements(html)
    assert "&lt;script&gt;" in html


SNAPPING = (Path(__file__).parents[2] / "mechanisms" / "snapping_f64.lb").read_text()
TEXTBOOK = (Path(__file__).parents[2] / "mechanisms" / "laplace_f64.lb").read_text()
ADJACENT = "adjacent |x<1> - x<2>| <= 1"


def with_clause(text: str, clause: str, other: str) -> str:
    assert text.count(clause) == 1
    return text.replace(clause, other)


def test_no_distance_is_made_up() -> None:
    for text in (SNAPPING, TEXTBOOK):
        with pytest.raises(lastbit.ProgramError, match="neighbours"):
            lastbit.prove(with_clause(text, ADJACENT, ""), eps=1, **({"B": 100} if text is SNAPPING else {}))
    for adjacent in ("adjacent x<1> - x<2> <= 3", "adjacent |x<1> - x<1>| <= 1"):
        (proof,) = lastbit.prove(with_clause(SNAPPING, ADJACENT, adjacent), eps=1, B=100)
        assert proof.verdict != "proved" and "the distance of neighbours cannot be read off this" in proof.derivation


def test_what_is_not_drawn_is_no_noise() -> None:
    text = with_clause(SNAPPING, "  s <$ sign;\n", "").replace("(x: f64)", "(x: f64, s: sign)")
    (proof,) = lastbit.prove(text, eps=1, B=100)
    assert proof.verdict == "refuted" and "this sign must be drawn" in proof.derivation


def test_the_distance_of_neighbours_counts() -> None:
    costs = {}
    for bound in ("1", "1 + 1", "B"):
        (proof,) = lastbit.prove(with_clause(SNAPPING, ADJACENT, f"adjacent |x<1> - x<2>| <= {bound}"), eps=1, B=8)
        costs[bound] = float(proof.cost)
    assert 1 < costs["1"] < 1.001 and 2 < costs["1 + 1"] < 2.001 and 8 < costs["B"] < 8.001


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [("infer", "proved"), ("2 * eps", "proved"), ("eps", "refuted"), ("eps / 2", "refuted"), ("0", "refuted")],
)
def test_proved_is_what_is_claimed(claim: str, verdict: str) -> None:
    (proof,) = lastbit.prove(with_clause(SNAPPING, "claim pure infer", f"claim pure {claim}"), eps=1, B=100)
    assert proof.verdict == verdict


def test_an_improbable_event_is_no_witness_against_delta() -> None:
    approximate = with_clause(SNAPPING, "claim pure infer", "claim approx(2 * eps, 1/10)")
    assert [proof.verdict for proof in lastbit.prove(approximate, eps=1, B=1000)] == ["proved"]
    pure = with_clause(SNAPPING, "claim pure infer", "claim pure 2 * eps")
    assert [proof.verdict for proof in lastbit.prove(pure, eps=1, B=1000)] == ["refuted"]
    textbook = with_clause(TEXTBOOK, "claim pure infer", "claim approx(eps, 1/10)")
    assert [proof.verdict for proof in lastbit.prove(textbook, eps=1)] == ["undecided"]


def noisy_max(n: int) -> str:
    return f"""
        mechanism top(q: real[{n}]) -> int
          param eps: real > 0
          adjacent forall i: |q[i]<1> - q[i]<2>| <= 1
          claim pure eps
        {{
          var z: real[{n}];
          for i in 0..{n} {{ z[i] <$ lap(2 / eps); }}
          best := 0;
          top := q[0] + z[0];
          for i in 1..{n} {{ v := q[i] + z[i]; if v > top {{ best := i; top := v; }} }}
          return best;
        }}"""


def test_a_proof_stops_at_its_limits() -> None:
    (found,) = lastbit.prove(noisy_max(12), timeout=0.2)
    assert isinstance(found, lastbit.PrivacyProof)
    assert found.verdict == "undecided"
    assert "the time limit of 0.2 s is reached" in found.derivation
    (found,) = lastbit.prove(noisy_max(3), timeout=None, memory=None)
    assert isinstance(found, lastbit.PrivacyProof)
    assert found.verdict == "proved"
    with pytest.raises(lastbit.errors.ParameterError, match="timeout"):
        lastbit.prove(noisy_max(3), timeout=-1)


def test_words_of_floats_are_not_left_out_of_proofs_over_the_reals() -> None:
    text = """
        mechanism m(x: real) -> real
          param eps: real > 0
          adjacent |x<1> - x<2>| <= 1
          claim pure eps
        { z <$ lap(1 / eps); return x + z }"""
    (found,) = lastbit.prove(text)
    assert isinstance(found, lastbit.PrivacyProof)
    assert found.verdict == "proved"
    for wrong in [text.replace("x + z", "x ⊕ z"), text.replace("claim", "libm ln = ulp(3)  claim")]:
        with pytest.raises(lastbit.errors.ProgramError, match="over the reals"):
            lastbit.prove(wrong)


def test_files() -> None:
    path = REPOSITORY / "mechanisms" / "laplace.lb"
    proofs = lastbit.prove(path)
    assert proofs == lastbit.prove(str(path)) == lastbit.prove(path.read_text())
    (proof,) = proofs
    assert isinstance(proof, lastbit.PrivacyProof) and proof.certificate is not None
    assert lastbit.check(proof.certificate, path) == lastbit.check(proof.certificate)
    with pytest.raises(FileNotFoundError, match="mechanism m"):
        lastbit.prove("no_such.lb")
    with pytest.raises(FileNotFoundError, match="JSON"):
        lastbit.check(Path("no_such"))


def test_messages_name_the_file(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.lb"
    wrong.write_text("mechanism ?")
    with pytest.raises(lastbit.ProgramError, match="wrong.lb:1:11"):
        lastbit.prove(wrong)
    with pytest.raises(lastbit.ProgramError, match="wrong.lb:1:11"):
        lastbit.audit(wrong, inputs=(0, 1))


def test_what_is_checked_is_data_and_words() -> None:
    certificate = privacy("laplace.lb").certificate
    assert certificate is not None
    checked = lastbit.check(certificate)
    assert checked == "laplace: eps-DP (pure, cost eps), for all eps > 0 and all |x<1> - x<2>| <= 1" == str(checked)
    assert checked.json()["verdict"] == "accepted" and checked.json()["file"] == "text"
    assert pickle.loads(pickle.dumps(checked)).json() == checked.json()
    with pytest.raises(lastbit.CertificateError, match="the time limit of 0 s is reached"):
        lastbit.check(certificate, timeout=0)


def test_certificates_for_other_judges(tmp_path: Path) -> None:
    core = bound(CORE, effort="fast").certificate
    path = tmp_path / "core.json"
    path.write_text(core)
    assert lastbit.certify(path) == lastbit.certify(core, to="coq") and "Lastbit" in lastbit.certify(core)
    assert "float<ieee_64" in lastbit.certify(core, to="gappa")
    with pytest.raises(lastbit.CertificateError, match="core.json is not a certificate"):
        path.write_text("{}")
        lastbit.certify(path)
    laplace = privacy("laplace.lb").certificate
    assert laplace is not None
    with pytest.raises(lastbit.CertificateError):
        lastbit.certify(laplace, to="gappa")
    with pytest.raises(lastbit.ParameterError, match='to must be "coq" or "gappa"'):
        lastbit.certify(core, to="lean")


def test_messages_about_certificates_name_the_files(tmp_path: Path) -> None:
    certificate, program = tmp_path / "c.json", tmp_path / "p.lb"
    certificate.write_text(privacy("laplace.lb").certificate or "")
    program.write_text(text_of("randomized_response.lb"))
    with pytest.raises(lastbit.CertificateError, match="p.lb has no laplace"):
        lastbit.check(certificate, program)
    program.write_text("mechanism ?")
    with pytest.raises(lastbit.ProgramError, match="p.lb:1:11"):
        lastbit.check(certificate, program)
