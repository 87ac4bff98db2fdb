// Also runs in the worker for long texts: do not import modules that load the kernel.
import { diffArrays } from 'diff'

/** A part of two texts: in both, or in one of them. */
export interface Change {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/**
 * Limit on the sum of squared edits of all comparisons on a page, because a comparison with n edits takes O(n²) time.
 * One edit is an added or removed line or word. At the limit (600 edits in one comparison), all comparisons together
 * take 20 ms, and 130 ms for adversarial texts.
 */
const EDIT_BUDGET_SQUARES = 360_000

/**
 * Compares pairs of texts by lines, and changed lines by words. All pairs share one work budget. After it is spent, the
 * remaining lines and words count as removed and added as a whole.
 * @param pairs texts before and after
 * @returns the changes of each pair in the order of the texts; removed parts precede the parts added at the same place
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

/** Splits a text into words with the preceding space, and at HTML tags. */
const wordsOf = (text: string) => text.split(/(?<=\S)(?=\s)|(?<=[<>])(?=[^<>\s])|(?<=[^<>\s])(?=[<>])/)
