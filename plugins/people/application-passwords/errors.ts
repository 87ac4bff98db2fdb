import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  application_password_unknown: [404, (login: string, uuid: string) => `${login} has no application password ${uuid}.`],
  application_password_not_named: [400, 'Give the UUID of an application password, or --all.'],
  rest_authorization_insecure: [
    401,
    'Application passwords are not accepted over plain HTTP: use HTTPS, or set the option insecure.',
  ],
  incorrect_password: [
    401,
    'The application password in the header Authorization is wrong or revoked: send an application password, not the password for logging in.',
  ],
  application_passwords_too_many_attempts: [
    429,
    (seconds: number) =>
      `Too many wrong application passwords came from this IP address. Try again in ${seconds} seconds.`,
  ],
  application_passwords_disabled: [
    501,
    'Application passwords are not available here: they need HTTPS, or the option insecure.',
  ],
  application_passwords_disabled_for_user: [501, 'Application passwords are not available to this user.'],
  application_password_empty_name: [400, 'An application password needs a name, such as that of the program.'],
  application_password_duplicate_name: [409, 'The user has an application password of this name: choose another one.'],
  rest_application_password_not_found: [404, 'The user has no application password with this UUID.'],
  rest_no_authenticated_app_password: [404, 'This request was not made with an application password.'],
  rest_cannot_introspect_app_password_for_non_authenticated_user: [
    403,
    'You can introspect only your own application password.',
  ],
  rest_insufficient_scope: [
    403,
    'This application password cannot change passwords, email addresses, roles, users or application passwords. Create one with the scope "accounts": send scopes: ["accounts"], or tick the box on the profile page.',
  ],
  rest_cannot_list_application_passwords: [403, 'You may not list the application passwords of this user.'],
  rest_cannot_read_application_password: [403, 'You may not see this application password.'],
  rest_cannot_create_application_passwords: [403, 'You may not create application passwords for this user.'],
  rest_cannot_edit_application_password: [403, 'You may not change this application password.'],
  rest_cannot_delete_application_password: [403, 'You may not revoke this application password.'],
  rest_cannot_delete_application_passwords: [403, 'You may not revoke the application passwords of this user.'],
})
