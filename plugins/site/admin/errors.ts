import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  admin_page_not_found: [404, () => 'Page not found.'],
  admin_forbidden: [403, () => 'You don’t have permission to do this.'],
  admin_form_expired: [403, () => 'This page has expired. Nothing was changed. Please try again.'],
  admin_method: [405, (allowed: string) => `This page does not accept this method. Allowed methods: ${allowed}.`],
  admin_nothing_chosen: [400, 'Select at least one item first.'],
  admin_action_unknown: [400, () => 'This action isn’t available here. Reload the page and try again.'],
  admin_no_such_term: [400, (name: string) => `There is no term “${name}”. Create it first, or check the spelling.`],
  admin_markdown_too_long: [
    400,
    (max: number) =>
      `A Markdown text can have at most ${max} characters. Convert it to HTML, or split it into several posts.`,
  ],
  admin_plugin_not_found: [404, () => 'No active plugin has this name.'],
  admin_job_not_found: [404, () => 'This job no longer exists. It may already be done.'],
  admin_import_runs: [409, () => 'An import is already running. Wait until it has finished.'],
  admin_failed: [500, (route: string) => `The REST API failed at ${route}.`],
  ADMIN_PAGE_INVALID: [
    500,
    (path: string, reason: string) => `The admin page "${path}" cannot be registered: ${reason}.`,
  ],
  ADMIN_PART_INVALID: [
    500,
    (kind: string, name: string, reason: string) =>
      `The ${kind} "${name}" of the admin cannot be registered: ${reason}.`,
  ],
  ADMIN_ASSETS_INVALID: [
    500,
    (name: string, reason: string) => `The admin cannot serve the files "${name}": ${reason}.`,
  ],
})
