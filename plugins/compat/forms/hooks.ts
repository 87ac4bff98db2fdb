import { filter, type Filter, type HookSpecs } from '../../public.ts'
import type { FormMail } from './mail.ts'

interface FormHooks {
  /**
   * Filter: whether a message of a form was sent; true unless a tap sends it and fails. A tap sends `mail` and returns
   * false, or throws, if it could not. Without a tap, messages are only stored. @since 0.1.0
   */
  form_mail: Filter<boolean, [mail: FormMail]>
}

declare module '../../../kernel/index.ts' {
  interface Hooks extends FormHooks {}
}

export const formHooks: HookSpecs<FormHooks> = { form_mail: filter('wasSent', 'mail') }
