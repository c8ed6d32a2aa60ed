/* The report checks itself: it works out again what follows among the numbers of the result it carries, writes every
   linked cell and sentence anew from that result, and says what differs. It asks for nothing from anywhere.
   RULES stands above, written by the program: names of elements and the constants that verdicts follow. */
(async () => {
  "use strict";
  const TOLERANCE = 1e-9;
  const wrong = [];
  let numbers = 0, shown = 0, unlinked = 0;

  // ---- how numbers are written ------------------------------------------------------------------------------------

  // As Python writes them: of two equally near numbers the even one, where toFixed takes the larger.
  function fixed(value, digits) {
    const size = Math.abs(value), [whole, rest] = size.toFixed(60).split(".");
    const before = digits ? rest[digits - 1] : whole.at(-1);
    const tieToEven = /^50*$/.test(rest.slice(digits)) && before % 2 === 0;
    const text = tieToEven ? whole + (digits ? "." + rest.slice(0, digits) : "") : size.toFixed(digits);
    return (value < 0 && /[1-9]/.test(text) ? "−" : "") + text;
  }
  const count = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
  const percent = (share) => `${fixed(100 * share, 1)} %`;
  const signed = (share) => (fixed(100 * share, 1).match(/^(−|0\.0$)/) ? "" : "+") + fixed(100 * share, 1);
  const within = (value, low, high) => Math.min(Math.max(value, low), high);
  const known = (write) => (value, ...more) => (value === null ? "not measured" : write(value, ...more));
  const alike = (one) => one.high - one.low < RULES.exactly; // without width, and yet nothing is certain
  const total = (values) => values.reduce((sum, value) => sum + value, 0);
  const mean = (values) => total(values) / values.length;

  const WAYS = {
    "text": (value) => value,
    "count": count,
    "percent": known(percent),
    "points": (share) => fixed(100 * share, 1),
    "two digits": (value) => (value === null ? "–" : fixed(value, 2)),
    "three digits": (value) => (value === null ? "–" : fixed(value, 3)),
    "T in brackets": (value) => `(T ${fixed(value, 2)})`,
    "yes or empty": (value) => (value ? "yes" : ""),
    "limits": (one) => `${fixed(one.low, 3)} to ${fixed(one.high, 3)}`,
    "chance": (one) =>
      one.null_auc_high === null ? "not judged" : `${fixed(one.null_auc_low, 2)} to ${fixed(one.null_auc_high, 2)}`,
    "verdict": (name) => RULES.verdicts[name],
    "every seed": (values) =>
      values.map((value) => (value === null ? "unknown" : fixed(value, 3))).join(" ") || "not measured",
    "percent interval": (one) =>
      known(percent)(one.mean) + (one.mean === null || one.low === null ? "" : alike(one) ? ` (${RULES.alike})` :
        ` (${fixed(100 * within(one.low, 0, 1), 1)} to ${fixed(100 * within(one.high, 0, 1), 1)} %)`),
    "auc interval": (one) =>
      known((value) => fixed(value, 2))(one.mean) + (one.mean === null || one.low === null ? "" : alike(one) ? ` (${RULES.alike})` :
        ` (${fixed(within(one.low, 0, 1), 2)} to ${fixed(within(one.high, 0, 1), 2)})`),
    "points with interval": (one) =>
      `${signed(one.value)} points` + (one.low === null ? "" : alike(one) ? `, ${RULES.alike}` :
        `, interval ${fixed(100 * within(one.low, -1, 1), 1)} to ${fixed(100 * within(one.high, -1, 1), 1)}`),
    "rate": (one) => `${percent(one.value)} (${fixed(100 * one.low, 1)} to ${fixed(100 * one.high, 1)} %)`,
    "largest share": (levels) => {
      const rows = Object.values(levels).map((level) => level.rows);
      return percent(Math.max(...rows) / total(rows));
    },
    "share of all groups": (rows, up) => percent(rows / total(Object.values(up(2)).map((level) => level.rows))),
    "weight": (theta, up, feature) => {
      const one = up(2), seeds = one.values.length || one.trainings;
      const gone = one.values.length
        ? one.values.filter((row) => Math.abs(row[feature]) <= one.cutoff).length
        : Math.round(one.frequency[feature] * one.trainings);
      return `${fixed(theta, 3)} (${gone} of ${seeds})${gone > seeds / 2 ? " dropped" : ""}`;
    },
    "ratio limits": (one) => `${fixed(one.low, 2)} ${one.high === null ? "and more" : `to ${fixed(one.high, 2)}`}`,
    "points: value": (one) => `${fixed(100 * one.value, 1)} points`,
    "points: interval": (one) => `${fixed(100 * one.low, 1)} to ${fixed(100 * one.high, 1)}`,
    "points: chance": (one) => `up to ${fixed(100 * one.chance.limit, 1)}`,
    "ratio: value": (one) => fixed(one.value, 2),
    "ratio: interval": (one) => `${fixed(one.low, 2)} to ${fixed(one.high, 2)}`,
    "ratio: chance": (one) => `down to ${fixed(one.chance.limit, 2)}`,
    "points: between": (one) => (one.highest === one.lowest ? "" : `${one.highest} over ${one.lowest}`),
    "ratio: between": (one) => (one.highest === one.lowest ? "" : `${one.highest} over ${one.lowest}`),
  };

  // ---- what follows among the numbers -----------------------------------------------------------------------------

  function expect(where, stated, found) {
    numbers += 1;
    const same = typeof stated === "number" && typeof found === "number"
      ? Math.abs(stated - found) <= TOLERANCE * Math.max(1, Math.abs(stated)) : stated === found;
    if (!same) wrong.push({where: `the result, ${where}`, stated: String(stated), found: String(found)});
  }

  // P(|t| < x) for whole degrees of freedom is a finite sum; the 97.5 % point is found by halving.
  function within95(degrees) {
    const covered = (x) => {
      const angle = Math.atan(x / Math.sqrt(degrees)), square = Math.cos(angle) ** 2, odd = degrees % 2;
      let term = odd ? Math.sin(angle) * Math.cos(angle) : Math.sin(angle), sum = degrees === 1 ? 0 : term;
      for (let k = odd ? 3 : 2; k < degrees; k += 2) sum += term *= (square * (k - 1)) / k;
      return odd ? (2 / Math.PI) * (angle + sum) : sum;
    };
    let low = 0, high = 13;
    for (let k = 0; k < 80; k += 1) covered((low + high) / 2) < 0.95 ? (low = (low + high) / 2) : (high = (low + high) / 2);
    return high;
  }

  function checkMean(one, where, testShare) {
    const values = one.values.filter((value) => value !== null), n = values.length;
    expect(`${where} › mean`, one.mean, n ? mean(values) : null);
    let low = null, high = null;
    if (n > 1) {
      const centre = mean(values), variance = total(values.map((value) => (value - centre) ** 2)) / (n - 1);
      const reach = within95(n - 1) * Math.sqrt(variance) * Math.sqrt(1 / n + testShare);
      [low, high] = [centre - reach, centre + reach];
    }
    // The interval of a rate is cut at 0 and 1.
    const cut = (stated, found) => (found !== null && [0, 1].includes(stated) ? within(found, 0, 1) : found);
    expect(`${where} › low`, one.low, cut(one.low, low));
    expect(`${where} › high`, one.high, cut(one.high, high));
  }

  function checkRate(one, where) {
    const {k, n} = one, z = RULES.z, share = k / n;
    const centre = (k + z * z / 2) / (n + z * z);
    const reach = Math.sqrt(z * z * (share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n);
    expect(`${where} › value`, one.value, share);
    expect(`${where} › low`, one.low, within(centre - reach, 0, share));
    expect(`${where} › high`, one.high, within(centre + reach, share, 1));
  }

  const has = (value, ...names) => names.every((name) => name in value);
  const called = (value, key) => value?.name ?? value?.label ?? value?.category ?? value?.weight ?? key;

  function walk(value, where, testShare, shortened) {
    if (value === null || typeof value !== "object") return;
    if (has(value, "mean", "low", "high", "values")) {
      if (value.values.length || !shortened) checkMean(value, where, testShare);
    } else if (has(value, "value", "low", "high", "k", "n")) {
      checkRate(value, where);
    } else {
      for (const [key, part] of Object.entries(value)) {
        const name = Array.isArray(value) ? called(part, key) : key;
        walk(part, where ? `${where} › ${name}` : name, testShare, shortened);
      }
    }
  }

  function checkVerdicts(result, one, where) {
    for (const [attribute, places] of Object.entries(one.leakage.by_attribute)) {
      for (const [place, found] of Object.entries(places)) {
        const {null_auc_low: low, null_auc_high: high, auc: {mean: area}} = found;
        const judged = Object.keys(result.groups[attribute]).filter((name) => !found.not_judged.includes(name));
        const unknown = judged.length < 2 || low === null || high === null || area === null;
        const verdict = unknown ? "insufficient evidence" : area > high ? "detected"
          : high <= RULES.widestChance ? "not detected" : "insufficient evidence";
        expect(`${where} › ${attribute} › ${place} › verdict`, found.verdict, verdict);
        expect(`${where} › ${attribute} › ${place} › below_chance`, found.below_chance,
          low !== null && area !== null && area < low);
      }
    }
  }

  const of = (rate) => (rate === null ? "0 of 0" : `${rate.k} of ${rate.n}`);

  function checkGroup(group, minimum, where) {
    expect(`${where} › judged`, group.judged, group.n >= minimum);
    if (!group.judged) return;
    const without = group.n - group.positives, [no, yes] = [group.false_positive_rate?.k ?? 0, group.true_positive_rate?.k ?? 0];
    expect(`${where} › selected`, group.selected, no + yes);
    expect(`${where} › selection_rate`, of(group.selection_rate), `${no + yes} of ${group.n}`);
    expect(`${where} › true_positive_rate`, of(group.true_positive_rate), `${yes} of ${group.positives}`);
    expect(`${where} › false_positive_rate`, of(group.false_positive_rate), `${no} of ${without}`);
    expect(`${where} › positive_predictive_value`, of(group.positive_predictive_value), `${yes} of ${no + yes}`);
    expect(`${where} › accuracy`, of(group.accuracy), `${without - no + yes} of ${group.n}`);
    const bins = group.calibration?.bins ?? [];
    if (bins.length) {
      const apart = total(bins.map((bin) => Math.abs(bin.observed.n * bin.mean_score - bin.observed.k)));
      expect(`${where} › people in bins`, group.n, total(bins.map((bin) => bin.observed.n)));
      expect(`${where} › calibration error`, group.calibration.expected_calibration_error, apart / group.n);
    }
  }

  // The worst pair of judged groups in one rate; null where fewer than two groups have it.
  function spread(groups, rate, ratio) {
    const have = groups.filter((group) => group[rate] !== null);
    if (have.length < 2) return null;
    const values = have.map((group) => group[rate].value), high = Math.max(...values), low = Math.min(...values);
    if (ratio && high === 0) return {none: true};
    return {value: ratio ? low / high : high - low, highest: have[values.indexOf(high)].label,
      lowest: have[values.indexOf(low)].label};
  }

  function checkGaps(comparison, where) {
    const judged = comparison.groups.filter((group) => group.judged);
    for (const [measure, rates] of Object.entries(RULES.measures)) {
      for (const kind of ["difference", "ratio"]) {
        const stated = comparison.between[`${measure}_${kind}`], here = `${where} › gaps › ${measure}_${kind}`;
        const found = rates.map((rate) => spread(judged, rate, kind === "ratio"));
        const real = found.includes(null) ? [] : found.filter((one) => !one.none);
        const worst = real.reduce((one, other) => (!one || (kind === "ratio" ? other.value < one.value : other.value > one.value)
          ? other : one), null);
        for (const part of ["value", "highest", "lowest"]) expect(`${here} › ${part}`, stated[part], worst?.[part] ?? null);
      }
    }
    const rates = judged.map((group) => group.selected / group.n), most = Math.max(...rates, 0);
    comparison.four_fifths.forEach((entry, k) => {
      const here = `${where} › four fifths › ${entry.label}`, {below, notBelow, tooFew, limit} = RULES.fourFifths;
      expect(`${here} › value`, entry.value, rates[k] / most);
      expect(`${here} › reference`, entry.reference, judged[rates.indexOf(most)]?.label);
      expect(`${here} › verdict`, entry.verdict,
        entry.high !== null && entry.high < limit ? below : entry.low >= limit ? notBelow : tooFew);
    });
  }

  function checkDecisions(decided, where) {
    for (const comparison of decided.by) {
      const here = `${where} › decisions by ${comparison.attributes.join("+")}`;
      for (const group of comparison.groups) checkGroup(group, decided.settings.minimum, `${here} › ${group.label}`);
      for (const part of ["n", "positives", "selected"]) {
        expect(`${here} › everyone › ${part}`, decided.overall[part], total(comparison.groups.map((group) => group[part])));
      }
      checkGaps(comparison, here);
    }
    for (const table of decided.local_law_144?.tables ?? []) {
      const most = Math.max(...table.categories.map((row) => row.selected / row.applicants), 0);
      const everybody = total(table.categories.map((row) => row.applicants));
      for (const row of table.categories) {
        const here = `${where} › Local Law 144 by ${table.attributes.join("+")} › ${row.category}`;
        expect(`${here} › rate`, row.rate, row.selected / row.applicants);
        expect(`${here} › under 2 %`, row.small, row.applicants < RULES.smallShare * everybody);
        if (row.impact_ratio !== null) expect(`${here} › impact ratio`, row.impact_ratio, most ? row.rate / most : null);
      }
    }
  }

  function checkFeatures(result) {
    const {names, conditions, exact, only_together: together} = result.features;
    for (const one of conditions.filter((condition) => condition.values.length)) {
      const where = `features given ${one.given.join("+") || "nothing"}`;
      names.forEach((name, k) => {
        const sizes = one.values.map((row) => Math.abs(row[k]));
        const often = mean(sizes.map((size) => Number(size <= one.cutoff)));
        expect(`${where} › ${name} › theta`, one.theta[k], mean(sizes));
        expect(`${where} › ${name} › frequency`, one.frequency[k], often);
        expect(`${where} › ${name} › dropped`, one.dropped.includes(name), often > 0.5);
      });
    }
    const largest = conditions.reduce((one, other) => (!one || other.given.length > one.given.length ? other : one), null);
    const elsewhere = conditions.filter((one) => one !== largest).flatMap((one) => one.dropped);
    const alone = largest && largest.given.length > 1 ? largest.dropped.filter((name) => !elsewhere.includes(name)) : [];
    expect("features › only together", together.join(", "), alone.join(", "));
    for (const [target, path] of Object.entries(exact?.paths ?? {})) {
      expect(`path for ${target} › T grows`, path.T.every((value, k) => !k || value >= path.T[k - 1]), true);
    }
  }

  function checkFindings(result) {
    const {reference, guessed, selection, sureness} = result.findings;
    const method = (name) => result.methods.find((one) => one.name === name);
    const before = method(RULES.reference);
    for (const [attribute, places] of Object.entries(guessed)) for (const [place, found] of Object.entries(places)) {
      for (const [name, {difference}] of Object.entries(found.methods)) if (difference && before) {
        const old = new Map(before.seeds.map((seed, k) => [seed, before.y.accuracy.values[k] ?? null]));
        const pairs = method(name).seeds.map((seed, k) => [old.get(seed) ?? null, method(name).y.accuracy.values[k] ?? null]);
        const both = pairs.filter(([one, other]) => one !== null && other !== null);
        const value = both.length > 1 ? mean(both.map(([one, other]) => other - one))
          : method(name).y.accuracy.mean - before.y.accuracy.mean;
        expect(`findings › ${attribute} › ${place} › ${name} › difference`, difference.value, value);
      }
    }
    for (const [attribute, gap] of Object.entries(selection)) {
      const by = method(reference).decisions.by.find((one) => one.attributes.join() === attribute);
      const stated = by.between.demographic_parity_difference;
      for (const part of ["value", "low", "high"]) expect(`findings › ${attribute} › gap › ${part}`, gap[part], stated[part]);
      expect(`findings › ${attribute} › gap › limit`, gap.limit, stated.chance?.limit ?? null);
    }
    if (sureness) expect("findings › false alarms", sureness.false_alarms, sureness.verdicts * RULES.level);
  }

  function checkResult(result) {
    const {fractions: [train, , test], fold_rows: small = 0} = result.spec.settings;
    const apart = RULES.ofFolds + Math.max(0, 1 / Math.max(2, Math.floor(1 / test + 0.5)) - 1 / result.spec.seeds.length);
    const shortened = Boolean(result.left_out?.length);
    walk(result, "", result.provenance.rows < small ? apart : test / train, shortened);
    for (const [attribute, levels] of Object.entries(result.groups)) {
      expect(`rows by ${attribute}`, result.provenance.rows, total(Object.values(levels).map((level) => level.rows)));
    }
    for (const one of result.methods) {
      checkVerdicts(result, one, `methods › ${one.name}`);
      if (one.decisions) checkDecisions(one.decisions, `methods › ${one.name}`);
    }
    for (const [name, points] of Object.entries(result.curve)) {
      for (const point of points) checkVerdicts(result, point, `curve › ${name} › ${point.weight}`);
    }
    checkFeatures(result);
    checkFindings(result);
  }

  // Of an audit of a model: successes and people of every rate, from people by outcome and decision.
  const RATES = {
    selection_rate: ([[, b], [, d]], all) => [b + d, all],
    true_positive_rate: ([, [c, d]]) => [d, c + d],
    false_positive_rate: ([[a, b]]) => [b, a + b],
    positive_predictive_value: ([[, b], [, d]]) => [d, b + d],
    accuracy: ([[a], [, d]], all) => [a + d, all],
    false_negative_rate: ([, [c, d]]) => [c, c + d],
    false_omission_rate: ([[a], [c]]) => [c, a + c],
    base_rate: ([, [c, d]], all) => [c + d, all],
  };

  function checkModelGroup(group, where, usual) {
    if (!group.counts) return;
    const all = total(group.counts.flat());
    expect(`${where} › people`, group.n, all);
    for (const [name, rate] of Object.entries(group.rates ?? {})) {
      const [k, n] = RATES[name](group.counts, all);
      expect(`${where} › ${name} › k`, rate.k, k);
      expect(`${where} › ${name} › n`, rate.n, n);
      if (usual) checkRate(rate, `${where} › ${name}`);
      else expect(`${where} › ${name} › value`, rate.value, k / n);
    }
  }

  function checkModelAudit(result) {
    const {confidence} = result.spec.settings, usual = Math.abs(confidence - 0.95) < TOLERANCE;
    for (const one of result.models) {
      checkModelGroup(one.overall, `${one.name} › everyone`, usual);
      for (const {attributes, groups, against} of one.comparisons) {
        const where = `${one.name} › ${attributes.join(" × ")}`, found = {};
        for (const group of groups) {
          checkModelGroup(group, `${where} › ${group.label}`, usual);
          found[group.label] = group.rates ?? {};
        }
        for (const {rate, group, reference, difference, ratio} of against) {
          if (!(reference in found)) continue;
          const [here, there] = [found[group][rate].value, found[reference][rate].value];
          expect(`${where} › ${group} less ${reference} › ${rate}`, difference.value, here - there);
          if (ratio) expect(`${where} › ${group} by ${reference} › ${rate}`, ratio.value, here / there);
        }
      }
      for (const [attribute, {ceilings = []}] of Object.entries(one.attributes)) {
        for (const {groups, people: [n, m], slack} of ceilings) {
          const error = (1 - confidence) / ceilings.length;
          const worked = Math.sqrt((1 / n + 1 / m) * Math.log(1 / error) / 2);
          expect(`${one.name} › ceiling by ${attribute} › ${groups.join(" and ")}`, slack, worked);
        }
      }
    }
  }

  // ---- what is shown ----------------------------------------------------------------------------------------------

  const steps = (pointer) => pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const at = (result, path) => path.reduce((value, step) => value[step], result);

  function place(element) {
    const row = element.closest("tr"), table = element.closest("table");
    if (!row) return `the sentence “${element.closest("p, li").textContent}”`;
    const column = table.tHead.rows[0].cells[element.cellIndex].textContent;
    return `table “${table.caption.textContent}”, row “${row.cells[0].textContent}”, column “${column}”`;
  }

  function checkShown(result) {
    for (const element of document.querySelectorAll("[data-from]")) {
      shown += 1;
      const path = steps(element.dataset.from);
      let text;
      try {
        const up = (levels) => at(result, path.slice(0, path.length - levels));
        text = WAYS[element.dataset.as](at(result, path), up, path.at(-1));
      } catch {
        text = "nothing";
      }
      if (element.textContent === text) continue;
      element.classList.add("wrong");
      element.id ||= `wrong-${wrong.length + 1}`;
      wrong.push({where: place(element), stated: element.textContent, found: text, link: element.id});
    }
    unlinked = [...document.querySelectorAll("main tbody td:not([data-from])")]
      .filter((cell) => /\d/.test(cell.textContent)).length;
  }

  // ---- the digest -------------------------------------------------------------------------------------------------

  // The text that was digested: keys in order of their letters, numbers letter by letter as they stand in the file.
  function canonical(text) {
    const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g);
    const plain = (token) => token.replace(/\\(u003c|u003e|u0026|.)/g, (all, code) =>
      ({u003c: "<", u003e: ">", u0026: "&"})[code] ?? all);
    const points = (token) => [...JSON.parse(token)].map((letter) => letter.codePointAt(0));
    const before = (one, other) => {
      const k = one.findIndex((letter, position) => letter !== other[position]);
      return k < 0 ? one.length - other.length : (one[k] ?? -1) - (other[k] ?? -1);
    };
    let next = 0;
    const list = (end, entry) => {
      const found = [];
      while (tokens[next] !== end) { found.push(entry()); if (tokens[next] === ",") next += 1; }
      next += 1;
      return found;
    };
    const value = (wanted) => {
      const token = tokens[next++];
      if (token === "[") return `[${list("]", () => value()).join(", ")}]`;
      if (token !== "{") return plain(token);
      const entries = list("}", () => { const key = tokens[next]; next += 2; return [key, value()]; })
        .filter(([key]) => !wanted || wanted.includes(JSON.parse(key)))
        .sort(([one], [other]) => before(points(one), points(other)));
      return `{${entries.map(([key, entry]) => `${plain(key)}: ${entry}`).join(", ")}}`;
    };
    return value(["created", "result", "written_by"]);
  }

  async function checkDigest(text, stated) {
    if (!globalThis.crypto?.subtle) return;
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(text)));
    const found = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    expect("its sha256", stated, found);
  }

  // ---- what to say ------------------------------------------------------------------------------------------------

  function say(sentence, kind) {
    const box = document.getElementById(RULES.box);
    box.classList.add(kind);
    box.querySelector("p").textContent = sentence;
    if (!wrong.length) return;
    const list = document.createElement("ul");
    for (const {where, stated, found, link} of wrong.slice(0, 20)) {
      const item = document.createElement("li"), words = document.createElement(link ? "a" : "span");
      words.textContent = where;
      if (link) words.href = `#${link}`;
      item.append(words, link ? `: shows ${stated || "nothing"}, the result gives ${found || "nothing"}.`
        : `: states ${stated}, the rest gives ${found}.`);
      list.append(item);
    }
    if (wrong.length > 20) list.append(Object.assign(document.createElement("li"), {textContent: `and ${wrong.length - 20} more.`}));
    box.querySelector("p").after(list);
  }

  try {
    const text = document.getElementById(RULES.element).textContent, carried = JSON.parse(text);
    await checkDigest(text, carried.sha256);
    (carried.result.study === "model-audit" ? checkModelAudit : checkResult)(carried.result);
    checkShown(carried.result);
    const compared = `${count(numbers)} numbers of the result were worked out again and ${count(shown)} cells and ` +
      "numbers in sentences compared with it";
    const rest = unlinked ? ` ${count(unlinked)} further cells with numbers are compared by verify only.` : "";
    if (wrong.length) say(`Do not trust this file: ${compared}, and ${count(wrong.length)} ${wrong.length === 1 ? "does" : "do"} not follow.`, "wrong");
    else say(`This file checked itself in this browser: ${compared}; all follow.${rest}`, "right");
  } catch (error) {
    say(`Do not trust this file: the result it carries cannot be read (${error.message}).`, "wrong");
  }
})();
