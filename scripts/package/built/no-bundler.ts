// Instead of the bundler of Temporal's SDK: the package contains the workflow bundle, and needs no webpack.

/** The SDK warns about interceptors that aren't in this list. */
export const defaultWorkflowInterceptorModules: string[] = [];

export function bundleWorkflowCode(): never {
  throw new Error('The package contains the workflow bundle.');
}

export function WorkflowCodeBundler(): never {
  throw new Error('The package contains the workflow bundle.');
}
