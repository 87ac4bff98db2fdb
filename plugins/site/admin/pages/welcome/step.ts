import type { SitePage } from '../../../../../kernel/index.ts'
import type { PageHtml } from '../../../../library/markup/index.ts'
import type { AdminHandler } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import type { Values } from '../../parts/schema-fields.ts'

/** The form of a step. */
export interface StepForm {
  /** Introduction above the form. */
  readonly about: PageHtml
  /** Fields of the form. */
  readonly fields: PageHtml
  /** Content next to the form or below it. */
  readonly further?: PageHtml | null
  /** Label of the button that saves the step. */
  readonly button: string
  /** Whether the form shows error messages. */
  readonly isWrong?: boolean
}

/** A submitted form that was not stored. */
export interface Submitted {
  readonly values: Values
  /** Messages by name of the field. */
  readonly errors: Readonly<Record<string, string>>
}

/** A step of the setup. */
export interface Step {
  /** Renders the form. @param typed the submitted form, if it was not stored */
  readonly show: (view: AdminView, typed?: Submitted) => Promise<StepForm>
  /**
   * Stores the form.
   * @param next marks the step as completed, and redirects to the next one
   * @returns the values and errors for the form, or a redirect
   */
  readonly save: (view: AdminView, next: Next) => Promise<Submitted | Redirect>
  /** Handlers of further forms of the step, which stay at the step. */
  readonly actions?: Readonly<Record<string, AdminHandler>>
}

/** Marks a step as completed. @returns the URL of the next step, or of the dashboard after the last one */
export type Next = () => Promise<string>

/** The response to a stored form. */
export interface Redirect {
  readonly redirect: SitePage
}
