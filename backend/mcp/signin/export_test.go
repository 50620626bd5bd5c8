package signin

// Retry is how long after a failed renewal the next one may begin.
const Retry = retry
