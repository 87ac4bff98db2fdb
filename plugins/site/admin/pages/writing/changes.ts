// Runs in the thread for long texts, too: import nothing that loads the kernel.
import { diffArrays } from 'diff'

/** A part of two texts: in both, or in one of them. */
export interface Change {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/**
 * Limit on the sum of squares of the edits of all comparisons of a page, because a comparison with n edits takes time in
 * proportion to n². One edit is a line or a word that was removed or added. Comparisons up to the limit (600 edits at once)
 * take 20 ms together, and 130 ms for texts that are made to be slow.
 */
const EDIT_BUDGET_SQUARES = 360_000

/**
 * Compares pairs of texts: by lines, and changed lines by words. All pairs share one budget of work. Once it is spent,
 * the remaining lines and words count as removed and added as a whole.
 * @param pairs texts before and after
 * @returns the changes of each pair, in the order of the texts; what was removed comes before what was added there
 */
export function changesOf(pairs: readonly (readonly [before: string, after: string])[]): Change[][] {
  const budget = { left: EDIT_BUDGET_SQUARES }
  return pairs.map(([before, after]) => {
    const changes: Change[] = []
    const lines = compare(linesOf(before), linesOf(after), budget)
    for (let index = 0; index < lines.length; index += 1) {
      const [line, next] = [lines[index]!, lines[index + 1]]
      if (line.kind === 'removed' && next?.kind === 'added') {
        changes.push(...compare(wordsOf(line.text), wordsOf(next.text), budget))
        index += 1
      } else changes.push(line)
    }
    return changes
  })
}

function compare(before: readonly string[], after: readonly string[], budget: { left: number }): Change[] {
  const maxEditLength = Math.floor(Math.sqrt(budget.left))
  const found = diffArrays([...before], [...after], { maxEditLength })
  if (found === undefined) {
    budget.left = 0
    return [
      { kind: 'removed', text: before.join('') },
      { kind: 'added', text: after.join('') },
    ]
  }
  const edits = found.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0)
  budget.left = Math.max(0, budget.left - edits ** 2)
  return found.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value.join(''),
  }))
}

const linesOf = (text: string) => text.split(/(?<=\n)/)

/** Words with the space in front of them, and the marks around HTML tags. */
const wordsOf = (text: string) => text.split(/(?<=\S)(?=\s)|(?<=[<>])(?=[^<>\s])|(?<=[^<>\s])(?=[<>])/)
