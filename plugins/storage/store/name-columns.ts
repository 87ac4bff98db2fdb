import type {
  BinaryOperationNode,
  ColumnUpdateNode,
  InsertQueryNode,
  OperationNode,
  PrimitiveValueListNode,
  QueryId,
  RawNode,
  ValueListNode,
  ValueNode,
} from 'kysely'
import { OperationNodeTransformer } from './kysely.ts'
import { NAME_COLUMNS, type StoredNames } from './stored-names.ts'

/** Matches the end of SQL before a value that is compared with a column. */
const COMPARISON = /\s*(?:=|<>|!=|\bnot in|\bin)\s*(?:any\(array\[|\()?$/i
/** Matches a column at the end of SQL. */
const LAST_COLUMN = /(\w+)"?$/

/** Replaces the names in a query that are bound to columns of names with their stored form. */
export class NameTransformer extends OperationNodeTransformer {
  readonly #names: StoredNames

  constructor(names: StoredNames) {
    super()
    this.#names = names
  }

  protected override transformBinaryOperation(node: BinaryOperationNode, queryId?: QueryId): BinaryOperationNode {
    const rightOperand = isNameColumn(node.leftOperand) ? this.#toStored(node.rightOperand) : node.rightOperand
    return super.transformBinaryOperation({ ...node, rightOperand }, queryId)
  }

  protected override transformColumnUpdate(node: ColumnUpdateNode, queryId?: QueryId): ColumnUpdateNode {
    const value = isNameColumn(node.column) ? this.#toStored(node.value) : node.value
    return super.transformColumnUpdate({ ...node, value }, queryId)
  }

  protected override transformInsertQuery(node: InsertQueryNode, queryId?: QueryId): InsertQueryNode {
    const { columns = [], values } = node
    if (values?.kind !== 'ValuesNode') return super.transformInsertQuery(node, queryId)
    const isName = columns.map(isNameColumn)
    const rows = (values as unknown as { values: readonly (ValueListNode | PrimitiveValueListNode)[] }).values
    const stored = rows.map((row) => ({
      ...row,
      values: row.values.map((value, index) => (isName[index] === true ? this.#toStored(value) : value)),
    }))
    return super.transformInsertQuery({ ...node, values: { ...values, values: stored } as OperationNode }, queryId)
  }

  protected override transformRaw(node: RawNode, queryId?: QueryId): RawNode {
    const parameters = node.parameters.map((parameter, index) =>
      isComparedWithName(node, index) ? this.#toStored(parameter) : parameter,
    )
    return super.transformRaw({ ...node, parameters }, queryId)
  }

  /** Converts a value, or all values of a list. */
  #toStored<T>(value: T): T
  #toStored(value: unknown): unknown {
    if (typeof value === 'string') return this.#names.toStored(value)
    if (typeof value !== 'object' || value === null || !('kind' in value)) return value
    if (value.kind === 'ValueNode') return { ...value, value: this.#toStored((value as ValueNode).value) }
    if (value.kind === 'ValueListNode' || value.kind === 'PrimitiveValueListNode')
      return { ...value, values: (value as ValueListNode).values.map((one) => this.#toStored(one)) }
    if (value.kind === 'RawNode')
      return { ...value, parameters: (value as RawNode).parameters.map((one) => this.#toStored(one)) }
    return value
  }
}

/** Whether a parameter of a template follows a comparison with a column of names. */
function isComparedWithName({ sqlFragments, parameters }: RawNode, index: number): boolean {
  const before = sqlFragments[index]!.trimEnd()
  const column = before.replace(COMPARISON, '')
  if (column === before) return false
  if (column.trim() === '') return index > 0 && isNameColumn(parameters[index - 1]!)
  return NAME_COLUMNS.has(LAST_COLUMN.exec(column)?.[1] ?? '')
}

/** Whether a node refers to a column of names: `type`, `posts.type`, or SQL such as `+posts.type`. */
export function isNameColumn(node: OperationNode): boolean {
  if (node.kind === 'ReferenceNode') return isNameColumn((node as unknown as { column: OperationNode }).column)
  if (node.kind === 'ColumnNode') return NAME_COLUMNS.has((node as unknown as { column: { name: string } }).column.name)
  if (node.kind !== 'RawNode') return false
  const { parameters } = node as RawNode
  return parameters.length === 1 && isNameColumn(parameters[0]!)
}
