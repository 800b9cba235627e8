// Scores as a person reads them: White's view, pawns or moves to mate.

/** Turns a score of the side to move into White's. */
export function forWhite(score, turn) {
    const sign = turn === "w" ? 1 : -1;
    return "mate" in score ? { mate: sign * score.mate, for: sign * (score.mate > 0 ? 1 : -1) } : { cp: sign * score.cp };
}

export function text(score) {
    if (!score) {
        return "";
    }
    if ("mate" in score) {
        return `${score.for > 0 ? "" : "-"}#${Math.abs(score.mate)}`;
    }
    return `${score.cp > 0 ? "+" : ""}${(score.cp / 100).toFixed(2)}`;
}

/** White's chance from 0 to 1, by the formula that Lichess publishes. */
export function chance(score) {
    return "mate" in score ? (score.for > 0 ? 1 : 0) : 1 / (1 + Math.exp(-0.00368208 * score.cp));
}

/** Draws White's chances after each ply, with a mark at the ply that is shown. */
export function curve(scores, ply) {
    const width = Math.max(scores.length - 1, 1);
    const points = scores.flatMap((score, x) => (score ? [`${x},${(100 - 100 * chance(score)).toFixed(1)}`] : []));
    const area = points.length > 1 ? `<polygon points="${points[0].split(",")[0]},100 ${points.join(" ")} ${points.at(-1).split(",")[0]},100"
        fill="#8a8f94" opacity="0.35"/>` : "";
    return `<svg viewBox="0 0 ${width} 100" preserveAspectRatio="none">${area}
        <g fill="none" vector-effect="non-scaling-stroke">
        <line x1="0" x2="${width}" y1="50" y2="50" stroke="#8a8f94" stroke-dasharray="4" vector-effect="non-scaling-stroke"/>
        <polyline points="${points.join(" ")}" stroke="currentColor" stroke-width="2" vector-effect="non-scaling-stroke"/>
        <line x1="${ply}" x2="${ply}" y1="0" y2="100" stroke="var(--accent)" stroke-width="2" vector-effect="non-scaling-stroke"/>
        </g></svg>`;
}
