// placeholder: delete with the first real file
