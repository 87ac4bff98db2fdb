import { errorTables, withStatus, type Sentence } from '../../kernel/errors.ts'

/** A declared error, with `{name}` in its sentence where an argument stands. */
export interface DeclaredError {
  code: string
  status: number
  sentence: string
}

/** Every table of errors that was declared. For the reference. */
export function declaredErrors(): DeclaredError[][] {
  return [...errorTables.values()].map((table) =>
    Object.entries(table).map(([code, declared]) => {
      const [status, sentence] = withStatus(declared)
      return { code, status, sentence: template(sentence) }
    }),
  )
}

function template(sentence: Sentence): string {
  if (typeof sentence === 'string') return sentence
  const [, names = ''] = /^\(?([^)=]*)\)?\s*=>/.exec(sentence.toString()) ?? []
  const marks = names.split(',').map((name) => `{${name.trim()}}`)
  return (sentence as (...all: string[]) => string)(...marks)
}
