/**
 * Sorts rows in the order of a list of values, such as `include` or `slug`. Rows whose value is not in the list come
 * last, in their previous order.
 * @param valueOf returns the value of a row that the list contains
 */
export function orderAsGiven<Row, Value>(
  rows: readonly Row[],
  values: readonly Value[],
  valueOf: (row: Row) => Value,
  order: 'asc' | 'desc' = 'asc',
): Row[] {
  // Reversed, so that the first of equal values counts.
  const positions = new Map([...values.entries()].toReversed().map(([position, value]) => [value, position]))
  const sign = order === 'desc' ? -1 : 1
  const positionOf = (row: Row) => positions.get(valueOf(row)) ?? values.length
  return rows.toSorted((one, other) => sign * (positionOf(one) - positionOf(other)))
}
