/** Hides secrets in the log, in error messages and in traced requests. */
export {
  forgetSecrets,
  hideConfigSecrets,
  hideCredentials,
  hideSecretsIn,
  keepSecret,
  stringifyWithoutSecrets,
} from './hide-secrets.ts'
