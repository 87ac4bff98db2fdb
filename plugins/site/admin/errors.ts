import { defineErrors } from '../../../kernel/index.ts'

/** The errors of the admin. */
export const errors = defineErrors({
  admin_page_not_found: [404, () => 'The admin has no such page.'],
  admin_forbidden: [403, () => 'Your role does not allow this.'],
  admin_form_expired: [
    403,
    () =>
      'This form was not sent from a page of this site, or it was open for too long. Nothing was changed: send it again.',
  ],
  admin_method: [405, (allowed: string) => `This page does not know this method: it takes ${allowed}.`],
  admin_nothing_chosen: [400, 'Nothing was chosen: go back and tick the boxes of what this is about.'],
  admin_action_unknown: [400, () => 'This page does not know what the form asks for.'],
  admin_no_such_term: [
    400,
    (name: string) => `There is no term “${name}”: create it first, or write it as it is called.`,
  ],
  admin_markdown_too_long: [
    400,
    (most: number) => `A text in Markdown has ${most} characters at most: go on in HTML, or in several posts.`,
  ],
  admin_plugin_not_found: [404, () => 'No plugin of this name runs.'],
  admin_job_not_found: [404, () => 'There is no such job any more: it may be done.'],
  admin_import_runs: [409, () => 'An import is running. Wait until it has ended: there is one at a time.'],
  admin_failed: [500, (route: string) => `The REST API failed at ${route}.`],
  ADMIN_PAGE_INVALID: [500, (path: string, why: string) => `The admin page "${path}" cannot be registered: ${why}.`],
  ADMIN_PART_INVALID: [
    500,
    (kind: string, name: string, why: string) => `The ${kind} "${name}" of the admin cannot be registered: ${why}.`,
  ],
  ADMIN_LANGUAGE_INVALID: (name: string) => `"${name}" is no language: write it as de or pt-BR.`,
  ADMIN_WORDS_INVALID: [500, (file: string, why: string) => `The words of ${file} cannot be used: ${why}.`],
  ADMIN_ASSETS_INVALID: [500, (name: string, why: string) => `The files "${name}" of the admin: ${why}.`],
})
