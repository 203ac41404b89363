// The workflow of the bare worker, which is never started. A worker needs one.
export async function emptyWorkflow(): Promise<void> {}
