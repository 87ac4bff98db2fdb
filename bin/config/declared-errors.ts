import { errorTables, withStatus, type Sentence } from '../../kernel/errors.ts'

/** A declared error, with `{name}` in its sentence for each argument. */
export interface DeclaredError {
  code: string
  status: number
  sentence: string
}

/** Returns all declared tables of errors, for the reference. */
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
