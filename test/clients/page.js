// What the page of the test of core-data runs: bundled, it is one global.
export * as coreData from '@wordpress/core-data'
export * as data from '@wordpress/data'
export { default as apiFetch } from '@wordpress/api-fetch'
