"""Where assessments run. Each executor is a function from tasks to finished ones, in any order."""
