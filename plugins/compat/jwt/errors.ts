import { defineErrors } from '../../public.ts'

export const errors = defineErrors({
  jwt_auth_bad_config: [403, 'JWT is not configured properly, please contact the admin'],
  jwt_auth_no_auth_header: [403, 'Authorization header not found.'],
  jwt_auth_bad_auth_header: [403, 'Authorization header malformed.'],
  jwt_auth_invalid_token: [403, (reason: string) => reason],
  jwt_auth_bad_iss: [403, 'The iss do not match with this server'],
  jwt_auth_bad_request: [403, 'User ID not found in the token'],
  jwt_auth_account_change: [
    403,
    'A token cannot change passwords, email addresses, roles, users or application passwords. Use an application password with the scope "accounts", or set the option "account_changes" of the plugin jwt.',
  ],
})
