/**
 * Rows in the order of a list that names them, such as `include` or `slug`: an order that the database does not know. Rows
 * that the list does not name come last, and equals stay as they are.
 * @param valueOf what the list names a row by
 */
export function orderAsGiven<Row, Value>(
  rows: readonly Row[],
  values: readonly Value[],
  valueOf: (row: Row) => Value,
  order: 'asc' | 'desc' = 'asc',
): Row[] {
  // From the end, so that the first of equal values counts.
  const positions = new Map([...values.entries()].toReversed().map(([position, value]) => [value, position]))
  const sign = order === 'desc' ? -1 : 1
  const positionOf = (row: Row) => positions.get(valueOf(row)) ?? values.length
  return rows.toSorted((one, other) => sign * (positionOf(one) - positionOf(other)))
}
