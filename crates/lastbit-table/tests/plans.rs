//! What a plan refuses, and what it settles.

use lastbit_table::{Measure, Noise, Plan, PlanError, PlanFault, Released};

use super::{Folder, parse};

const BASE: &str = r#"
[table]
path = "t.csv"
unit = "unit"
[bounds]
groups = 3
rows = 5
[by]
columns = "city"
keys = ["b", "a", "c", "d"]
[privacy]
epsilon = 1
"#;

fn plan(text: &str) -> Result<Plan, PlanError> {
    parse(text, "spec.toml".as_ref()).plan()
}

fn with_query(query: &str) -> Result<Plan, PlanError> {
    plan(&format!("{BASE}[[query]]\nname = \"q\"\n{query}"))
}

fn sum(bounds: &str) -> Result<Plan, PlanError> {
    with_query(&format!("kind = \"sum\"\ncolumn = \"x\"\n{bounds}"))
}

fn changed(from: &str, to: &str) -> Result<Plan, PlanError> {
    assert!(BASE.contains(from), "{from}");
    plan(&format!("{}[[query]]\nname = \"q\"\nkind = \"count\"\n", BASE.replace(from, to)))
}

macro_rules! refused {
    ($plan:expr, $key:expr, $fault:pat) => {
        match $plan {
            Err(PlanError { key, fault: $fault, .. }) => assert_eq!(key, $key),
            other => panic!("{other:?}"),
        }
    };
}

#[test]
fn bounds_that_claim_nothing_are_refused() {
    refused!(sum(""), "query q, bounds", PlanFault::Missing { .. });
    refused!(sum("bounds = [1, 1]"), "query q, bounds", PlanFault::Equal { .. });
    refused!(sum("bounds = [2, 1]"), "query q, bounds", PlanFault::Reversed { .. });
    refused!(sum("bounds = [0, \"1/3\"]"), "query q, bounds", PlanFault::NoGrid);
    refused!(sum("bounds = [0, 1]\ngrid = 0.3"), "query q, bounds", PlanFault::OffGrid { .. });
    refused!(
        with_query("kind = \"histogram\"\ncolumn = \"x\"\nedges = [0, 0]"),
        "query q, edges",
        PlanFault::Edges
    );
    refused!(
        with_query("kind = \"histogram\"\ncolumn = \"x\"\nedges = [0]"),
        "query q, edges",
        PlanFault::Edges
    );
    refused!(with_query("kind = \"sum\"\nbounds = [0, 1]"), "query q, column", PlanFault::Missing { .. });
    refused!(with_query("kind = \"count\"\ncolumn = \"x\""), "query q, column", PlanFault::Useless { .. });
    refused!(changed("groups = 3", "groups = 0"), "bounds.groups", PlanFault::Count);
    refused!(changed("rows = 5", ""), "bounds.rows", PlanFault::Missing { .. });
    refused!(changed("unit = \"unit\"", "unit = \"row\""), "bounds.groups", PlanFault::Useless { .. });
}

#[test]
fn totals_that_might_overflow_are_refused() {
    let rows = |rows: &str, bound: &str| {
        let text = BASE.replace("rows = 5", &format!("rows = {rows}"));
        plan(&format!(
            "{text}[[query]]\nname = \"q\"\nkind = \"sum\"\ncolumn = \"x\"\nbounds = [0, {bound}]\ngrid = 1\n"
        ))
    };
    // 4294967295 · 4294967297 = 2^64 - 1.
    let limit = rows("4294967295", "4294967297").unwrap();
    assert_eq!(limit.queries()[0].components[0].sensitivity.l1.to_string(), "55340232221128654845");
    refused!(rows("4294967296", "4294967296"), "query q, bounds", PlanFault::Overflow { .. });
    refused!(rows("1", "1000000000000000000"), "query q, bounds", PlanFault::TooFine { .. });
    assert!(rows("18", "999999999999999999").is_ok());
    refused!(rows("19", "999999999999999999"), "query q, bounds", PlanFault::Overflow { .. });
}

#[test]
fn keys_are_declared_once() {
    refused!(
        changed("[\"b\", \"a\", \"c\", \"d\"]", "[\"b\", \"b\"]"),
        "by.keys",
        PlanFault::DuplicateKey { position: 2 }
    );
    refused!(changed("[\"b\", \"a\", \"c\", \"d\"]", "[]"), "by.keys", PlanFault::NoKeys);
    refused!(
        changed("[\"b\", \"a\", \"c\", \"d\"]", "[\"\"]"),
        "by.keys",
        PlanFault::EmptyKey { position: 1 }
    );
    refused!(
        changed("[\"b\", \"a\", \"c\", \"d\"]", "[[\"a\", \"b\"]]"),
        "by.keys",
        PlanFault::KeyWidth { found: 2, expected: 1, .. }
    );
    refused!(changed("columns = \"city\"", "columns = [\"city\", \"city\"]"), "by.columns", PlanFault::Twice);
    assert_eq!(changed("\"b\"", "7").unwrap().keys(), [["7"], ["a"], ["c"], ["d"]]);
    let product = "columns = [\"city\", \"year\"]\nkeys = { city = [\"b\", \"a\"], year = [2024, 2023] }";
    let product = changed("columns = \"city\"\nkeys = [\"b\", \"a\", \"c\", \"d\"]", product).unwrap();
    assert_eq!(product.keys(), [["a", "2023"], ["a", "2024"], ["b", "2023"], ["b", "2024"]]);
}

/// A thousand times a thousand times a thousand are a few lines of a spec, and more than a memory holds.
#[test]
fn there_are_not_more_groups_than_memory() {
    let thousand: Vec<String> = (0..1000).map(|key| key.to_string()).collect();
    let all = |columns: &str, values: &str| {
        let by = format!("columns = {columns}\nkeys = {values}");
        changed("columns = \"city\"\nkeys = [\"b\", \"a\", \"c\", \"d\"]", &by)
    };
    let three = format!("{{ x = {thousand:?}, y = {thousand:?}, z = {thousand:?} }}");
    refused!(all(r#"["x", "y", "z"]"#, &three), "by.keys", PlanFault::TooManyKeys);
    let edges: Vec<usize> = (0..100_002).collect();
    let wide = format!(
        "{}[[query]]\nname = \"q\"\nkind = \"histogram\"\ncolumn = \"v\"\nedges = {edges:?}\n",
        BASE.replace(r#"["b", "a", "c", "d"]"#, &format!("{thousand:?}"))
    );
    refused!(plan(&wide), "by.keys", PlanFault::TooManyCells { keys: 1000, width: 100_001 });
}

#[test]
fn keys_come_from_lists_and_public_tables() {
    let folder = Folder::new();
    let spec = |file: &str| {
        let text = format!("{BASE}[[query]]\nname = \"q\"\nkind = \"count\"\n")
            .replace("[\"b\", \"a\", \"c\", \"d\"]", &format!("{file:?}"));
        parse(&text, &folder.0.path().join("spec.toml")).plan()
    };
    folder.write("keys.txt", "\u{feff}Genève\r\nBern\n");
    folder.write("twice.txt", "Bern\nBern\n");
    folder.write("stations.csv", "name,city\nA,Genève\nB,Bern\nC,Bern\n");
    folder.write("hole.csv", "name,city\nA,Genève\nB,\n");
    folder.write("other.csv", "name,town\nA,Genève\n");
    assert_eq!(spec("keys.txt").unwrap().keys(), [["Bern"], ["Genève"]]);
    assert_eq!(spec("stations.csv").unwrap().keys(), [["Bern"], ["Genève"]]);
    refused!(spec("twice.txt"), "by.keys", PlanFault::DuplicateKey { position: 2 });
    refused!(spec("hole.csv"), "by.keys", PlanFault::EmptyKey { .. });
    refused!(spec("other.csv"), "by.keys", PlanFault::Keys(_));
    refused!(spec("none.txt"), "by.keys", PlanFault::Keys(_));
}

#[test]
fn names_do_not_clash() {
    refused!(
        plan(&format!(
            "{BASE}[[query]]\nname = \"q\"\nkind = \"count\"\n[[query]]\nname = \"q\"\nkind = \"count\"\n"
        )),
        "query q, name",
        PlanFault::Twice
    );
    refused!(
        plan(&format!("{BASE}[[query]]\nname = \"city\"\nkind = \"count\"\n")),
        "query city, name",
        PlanFault::Twice
    );
    refused!(plan(BASE), "query", PlanFault::Missing { .. });
    let circle =
        format!("{BASE}[[query]]\nname = \"q\"\nkind = \"count\"\n[derive]\na = \"b + 1\"\nb = \"a + 1\"\n");
    refused!(plan(&circle), "derive.a", PlanFault::Expression(_));
}

#[test]
fn columns_are_those_that_the_plan_needs() {
    let plan = plan(&format!("filter = \"day > '2024'\"\n{BASE}[[query]]\nname = \"q\"\nkind = \"mean\"\ncolumn = \"x\"\nbounds = [0, 1]\n")).unwrap();
    assert_eq!(plan.columns(), ["day", "unit", "city", "x"]);
    assert_eq!(plan.check_header(&["x", "y", "city", "unit", "day"]), Ok(vec![4, 3, 2, 0]));
    let message = |header: &[&str]| plan.check_header(header).unwrap_err().to_string();
    assert_eq!(
        message(&["x", "City", "unit", "day"]),
        "there is no column \"city\" - did you mean \"City\"?"
    );
    assert_eq!(message(&["x", "city", "city", "unit", "day"]), "there are two columns \"city\": rename one");
}

#[test]
fn sensitivities_are_those_of_the_theorems() {
    let of = |query: &str| {
        let plan = with_query(query).unwrap();
        let parts = plan.queries()[0].components.iter();
        parts
            .map(|part| (part.sensitivity.l1.to_string(), part.sensitivity.l2_squared.to_string()))
            .collect::<Vec<_>>()
    };
    let pair = |l1: &str, l2: &str| (l1.to_owned(), l2.to_owned());
    assert_eq!(of("kind = \"count\""), [pair("15", "75")]);
    assert_eq!(of("kind = \"count-units\""), [pair("3", "3")]);
    assert_eq!(of("kind = \"sum\"\ncolumn = \"x\"\nbounds = [-2, 7]\ngrid = 1"), [pair("105", "3675")]);
    assert_eq!(of("kind = \"sum\"\ncolumn = \"x\"\nbounds = [3, 7]\ngrid = 1"), [pair("105", "3675")]);
    // The centre is 2: at most 5 steps away.
    assert_eq!(
        of("kind = \"mean\"\ncolumn = \"x\"\nbounds = [-2, 7]\ngrid = 1"),
        [pair("75", "1875"), pair("15", "75")]
    );
    assert_eq!(of("kind = \"histogram\"\ncolumn = \"x\"\nedges = [0, 1, 2]"), [pair("15", "75")]);
    // Squares lie between 0 and 25, 13 steps from their centre at most.
    assert_eq!(
        of("kind = \"variance\"\ncolumn = \"x\"\nbounds = [-2, 7]\ngrid = 1"),
        [pair("75", "1875"), pair("15", "75"), pair("195", "12675")]
    );
    // No more values than there are, and no more than rows.
    assert_eq!(of("kind = \"distinct\"\ncolumn = \"x\"\nvalues = [1, 2, 3]"), [pair("9", "27")]);
    assert_eq!(of("kind = \"distinct\"\ncolumn = \"x\"\nvalues = [1, 2, 3, 4, 5, 6, 7]"), [pair("15", "75")]);
    // Each of two scores moves by three times five in each of three groups.
    let quantile = with_query("kind = \"quantile\"\nq = 0.25\ncolumn = \"x\"\nedges = [0, 1]").unwrap();
    let component = &quantile.queries()[0].components[0];
    assert_eq!((component.released, component.cells, component.released_cells()), (Released::Chosen, 2, 1));
    assert_eq!(
        (component.sensitivity.largest.to_string(), component.sensitivity.groups),
        ("15".to_owned(), 3)
    );
    // Four groups are declared, so a unit is in four at most.
    let wide = changed("groups = 3", "groups = 100").unwrap();
    assert_eq!(
        (wide.groups(), wide.queries()[0].components[0].sensitivity.l1.to_string()),
        (4, "20".to_owned())
    );
    // Where a unit is in one group, all groups cost what one costs.
    for keys in [r#"keys = ["b"]"#, r#"keys = ["b", "a", "c", "d"]"#] {
        let parts = BASE.replace("groups = 3", "groups = 1").replace(r#"keys = ["b", "a", "c", "d"]"#, keys);
        let alone = plan(&format!("{parts}[[query]]\nname = \"q\"\nkind = \"count\"\n")).unwrap();
        let sensitivity = &alone.queries()[0].components[0].sensitivity;
        assert_eq!((sensitivity.l1.to_string(), sensitivity.l2_squared.to_string()), pair("5", "25"));
    }
}

#[test]
fn budgets_are_divided_exactly() {
    let two = |privacy: &str, first: &str, second: &str| {
        let base = BASE.replace("epsilon = 1", privacy);
        plan(&format!(
            "{base}[[query]]\nname = \"p\"\nkind = \"count\"\n{first}\n[[query]]\nname = \"q\"\nkind = \"count\"\n{second}\n"
        ))
    };
    let losses = |plan: &Plan| plan.queries().iter().map(|query| query.loss.to_string()).collect::<Vec<_>>();
    assert_eq!(losses(&two("epsilon = 1", "", "share = 2").unwrap()), ["1/3", "2/3"]);
    assert_eq!(losses(&two("epsilon = 1", "epsilon = 0.1", "").unwrap()), ["1/10", "9/10"]);
    let own = two("", "rho = 0.1", "rho = 0.2").unwrap();
    assert_eq!(
        (own.privacy().measure, own.privacy().noise, own.privacy().loss.to_string()),
        (Measure::Zcdp, Noise::Gaussian, "3/10".to_owned())
    );
    let approximate = two("epsilon = 1\ndelta = 1e-6", "", "").unwrap();
    assert_eq!(approximate.privacy().measure, Measure::Approx);
    assert_eq!(
        approximate.queries()[0].delta.as_ref().map(ToString::to_string).as_deref(),
        Some("1/2000000")
    );
    refused!(two("", "", ""), "privacy.epsilon", PlanFault::Missing { .. });
    refused!(two("epsilon = 1", "epsilon = 1", ""), "privacy.epsilon", PlanFault::OverBudget { .. });
    refused!(two("epsilon = 1", "epsilon = -1", ""), "query p, epsilon", PlanFault::NotPositive);
    refused!(two("epsilon = 1", "epsilon = 1\nshare = 1", ""), "query p, share", PlanFault::Useless { .. });
    refused!(two("epsilon = 1\nrho = 1", "", ""), "privacy.epsilon", PlanFault::Useless { .. });
    refused!(two("measure = \"approx\"\nepsilon = 1", "", ""), "privacy.delta", PlanFault::Missing { .. });
    refused!(two("epsilon = 1\ndelta = 1", "", ""), "privacy.delta", PlanFault::Useless { .. });
    refused!(two("epsilon = 1\nnoise = \"gaussian\"", "", ""), "privacy.noise", PlanFault::Useless { .. });
    refused!(two("epsilon = 1\nmeasure = \"pur\"", "", ""), "privacy.measure", PlanFault::Word { .. });
}

#[test]
fn hashes_change_with_what_is_asked() {
    let hash = |from: &str, to: &str| changed(from, to).unwrap().hash();
    let base = hash("groups = 3", "groups = 3");
    assert_eq!(base.len(), 64);
    // The order of keys in the spec makes no difference.
    assert_eq!(hash("[\"b\", \"a\", \"c\", \"d\"]", "[\"a\", \"b\", \"c\", \"d\"]"), base);
    let changes = [
        ("groups = 3", "groups = 2"),
        ("rows = 5", "rows = 6"),
        ("rows = 5", "rows = 5\nsalt = \"other\""),
        ("\"d\"", "\"e\""),
        ("epsilon = 1", "epsilon = 2"),
        ("epsilon = 1", "rho = 1"),
        ("\"t.csv\"", "\"u.csv\""),
        ("unit = \"unit\"", "unit = \"unit\"\ndataset = \"x\""),
        ("unit = \"unit\"", "unit = \"person\""),
        ("columns = \"city\"", "columns = \"town\""),
    ];
    for (from, to) in changes {
        assert_ne!(hash(from, to), base, "{to}");
    }
    // Also where the integers are the same ones.
    let asked = [
        "kind = \"variance\"\nbounds = [0, 1]",
        "kind = \"std\"\nbounds = [0, 1]",
        "kind = \"median\"\nedges = [0, 1]",
        "kind = \"quantile\"\nq = 0.4\nedges = [0, 1]",
        "kind = \"histogram\"\nedges = [0, 1]",
        "kind = \"distinct\"\nvalues = [0, 1]",
        "kind = \"distinct\"\nvalues = [0, 2]",
    ];
    let hashes = asked.map(|query| with_query(&format!("column = \"x\"\n{query}")).unwrap().hash());
    assert_eq!(hashes.iter().collect::<std::collections::BTreeSet<_>>().len(), asked.len());
    // A median is the quantile at a half.
    let half = with_query("column = \"x\"\nkind = \"quantile\"\nq = 0.5\nedges = [0, 1]").unwrap();
    assert_eq!((half.hash(), half.queries()[0].kind.name()), (hashes[2].clone(), "median"));
}

#[test]
fn squares_need_few_rows_or_a_coarser_step() {
    let rows = |rows: &str, bound: &str| {
        let text = BASE.replace("rows = 5", &format!("rows = {rows}"));
        plan(&format!(
            "{text}[[query]]\nname = \"q\"\nkind = \"variance\"\ncolumn = \"x\"\nbounds = [0, {bound}]\ngrid = 1\n"
        ))
    };
    let step = |plan: Plan| plan.queries()[0].components[2].step.to_string();
    assert_eq!(step(rows("7", "100").unwrap()), "1");
    assert_eq!(step(rows("2", "6000000000").unwrap()), "10");
    assert!(rows("18", "999999999999999999").is_ok());
    refused!(rows("4611686018427387903", "4"), "query q, bounds", PlanFault::Squares { .. });
}

#[test]
fn descriptions_need_no_data() {
    let description =
        with_query("kind = \"mean\"\ncolumn = \"x\"\nbounds = [0, 10]\ngrid = 0.5").unwrap().describe();
    assert_eq!((description.groups, description.rows, description.keys), (3, 5, 4));
    assert_eq!(description.queries[0].components[0].l1, "150");
    assert_eq!(description.queries[0].components[0].step, "0.5");
    assert_eq!(description.columns, ["unit", "city", "x"]);
}

#[test]
fn intervals_have_names_of_their_own() {
    let named = |first: &str, second: &str| {
        let query = |name: &str| format!("[[query]]\nname = \"{name}\"\nkind = \"count\"\n");
        plan(&format!("{BASE}{}{}", query(first), query(second)))
    };
    for end in ["_interval", "_low", "_high", "_rank_error"] {
        refused!(named("n", &format!("n{end}")), "query n, name", PlanFault::IntervalName { .. });
        refused!(named(&format!("n{end}"), "n"), "query n, name", PlanFault::IntervalName { .. });
    }
    refused!(
        plan(&format!(
            "{}[[query]]\nname = \"n\"\nkind = \"count\"\n",
            BASE.replace("\"city\"", "\"n_low\"")
        )),
        "query n, name",
        PlanFault::IntervalName { .. }
    );
    assert!(named("n", "nn_low").is_ok());
}

#[test]
fn the_table_does_not_declare_its_own_groups() {
    let folder = Folder::new();
    folder.write("t.csv", "unit,city\n7,Bern\n");
    folder.write("public.csv", "unit,city\n7,Bern\n");
    let with_keys = |table: &str, keys: &str| {
        let text = BASE.replace("t.csv", table).replace(r#"["b", "a", "c", "d"]"#, &format!("\"{keys}\""));
        let text = format!("{text}[[query]]\nname = \"n\"\nkind = \"count\"\n");
        parse(&text, &folder.0.path().join("spec.toml")).plan()
    };
    refused!(with_keys("t.csv", "t.csv"), "by.keys", PlanFault::KeysOfTable);
    refused!(with_keys("t*.csv", "./t.csv"), "by.keys", PlanFault::KeysOfTable);
    assert!(with_keys("t.csv", "public.csv").is_ok());
    // It need not be there yet.
    assert!(with_keys("missing.csv", "public.csv").is_ok());
}
