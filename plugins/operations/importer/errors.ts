import { defineErrors, RestError } from '../../../kernel/index.ts'
import { ERROR_TEXTS } from './error-texts.ts'
import { inEnglish, type PhraseNames, type ReportPhrase, type ValuesOf } from './phrases.ts'

type Code = keyof typeof ERROR_TEXTS
/** Creates an error from the values of its message, if it has any. */
type Maker<T extends string> = [PhraseNames<T>] extends [never]
  ? (values?: Record<string, never>, options?: ErrorOptions) => ImportError
  : (values: ValuesOf<T>, options?: ErrorOptions) => ImportError

/** An error whose message is a phrase, so that the admin can translate it. */
export class ImportError extends RestError {
  readonly phrase: ReportPhrase

  constructor(code: Code, phrase: ReportPhrase, options?: ErrorOptions) {
    super(code, inEnglish(phrase), { status: ERROR_TEXTS[code][0] }, options)
    this.phrase = phrase
  }

  /** Returns the error with another message. */
  with(phrase: ReportPhrase): ImportError {
    return new ImportError(this.code as Code, phrase, { cause: this })
  }
}

// Declares the codes.
defineErrors(ERROR_TEXTS)

/** Errors that end an import. */
export const errors = Object.fromEntries(
  Object.entries(ERROR_TEXTS).map(([code, [, text]]) => [
    code,
    (values: ReportPhrase['values'], options?: ErrorOptions) =>
      new ImportError(code as Code, { text, ...(values !== undefined && { values }) }, options),
  ]),
) as unknown as { [C in Code]: Maker<(typeof ERROR_TEXTS)[C][1]> }
