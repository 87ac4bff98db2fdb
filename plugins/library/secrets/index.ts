/** Hides secrets in texts that people read: the log, failures, traced requests. */
export {
  forgetSecrets,
  hideConfigSecrets,
  hideCredentials,
  hideSecretsIn,
  keepSecret,
  stringifyWithoutSecrets,
} from './hide-secrets.ts'
